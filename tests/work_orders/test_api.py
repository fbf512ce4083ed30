import asyncio
from typing import Any

import httpx
import pytest
from tests.support.organizations import Organization


def _new(org: Organization, **fields: Any) -> dict[str, Any]:
    return org.created("work-orders", {"title": "Lift is stuck", **fields})


def _change(org: Organization, order: dict[str, Any], **fields: Any) -> httpx.Response:
    return org.api.patch(f"{org.path}/work-orders/{order['id']}", json=fields)


def test_a_new_work_order_can_be_read_and_is_listed(org: Organization) -> None:
    answer = org.api.post(
        f"{org.path}/work-orders",
        json={"title": "Lift is stuck", "priority": "High", "description": "Floor 2"},
    )
    assert answer.status_code == 201
    order = answer.json()["data"]
    now = order["created"]
    assert order == {
        "id": order["id"],
        "number": 1,
        "title": "Lift is stuck",
        "description": "Floor 2",
        "status": "Open",
        "priority": "High",
        "locationId": None,
        "assetId": None,
        "assigneeId": None,
        "reportedBy": org.user_id,
        "checklist": [],
        "holdReason": None,
        "cancelReason": None,
        "respondedAt": None,
        "completedAt": None,
        "completedBy": None,
        "slaResponseDeadline": now + 60 * 60,
        "slaResolutionDeadline": now + 480 * 60,
        "slaResponseBreachedAt": None,
        "slaResolutionBreachedAt": None,
        "slaPausedSince": None,
        "slaPausedSeconds": 0,
        "created": now,
        "updated": now,
    }
    assert answer.headers["location"] == f"{org.path}/work-orders/{order['id']}"
    assert org.api.get(answer.headers["location"]).json() == {"data": order}
    assert org.api.get(f"{org.path}/work-orders").json() == {"data": [order], "lastEvaluatedKey": None}


def test_a_hundred_work_orders_at_once_are_numbered_without_gaps(org: Organization) -> None:
    async def create_all() -> list[int]:
        async with httpx.AsyncClient(
            base_url=org.base_url, headers=dict(org.api.headers), timeout=60
        ) as client:
            answers = await asyncio.gather(
                *(client.post(f"{org.path}/work-orders", json={"title": f"Order {i}"}) for i in range(100))
            )
        return [answer.json()["data"]["number"] for answer in answers]

    assert sorted(asyncio.run(create_all())) == list(range(1, 101))


@pytest.mark.parametrize(
    ("field", "noun"),
    [("assigneeId", "user"), ("reportedBy", "user"), ("locationId", "location"), ("assetId", "asset")],
)
def test_a_reference_to_something_absent_names_the_field(org: Organization, field: str, noun: str) -> None:
    answer = org.api.post(f"{org.path}/work-orders", json={"title": "x", field: "xyz_1"})
    assert answer.status_code == 422
    assert answer.json()["details"] == [{"field": field, "message": f"names no {noun} of this organization"}]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=Open", ["c", "b"]),
        ("status=InProgress", ["a"]),
        ("priority=Critical", ["b"]),
        ("q=leak", ["c", "b"]),
        ("q=LEAK%20roof", ["c"]),
        ("q=水漏れ", ["a"]),
        ("q=漏", ["a"]),
        ("q=nothing", []),
        ("updatedAfter=4102444800", []),
        ("status=Open&priority=Critical", ["b"]),
    ],
)
def test_lists_can_be_narrowed(org: Organization, query: str, expected: list[str]) -> None:
    a = _new(org, title="会議室の水漏れ", description="a")
    _new(org, title="Leak in the kitchen", description="b", priority="Critical")
    _new(org, title="Roof has a leak", description="c")
    org.api.post(f"{org.path}/work-orders/{a['id']}/start")
    answer = org.api.get(f"{org.path}/work-orders?{query}")
    assert [order["description"] for order in answer.json()["data"]] == expected


def test_one_letter_is_too_little_to_search_for(org: Organization) -> None:
    assert org.api.get(f"{org.path}/work-orders?q=a").status_code == 422


def test_a_changed_title_is_found_and_the_old_one_is_not(org: Organization) -> None:
    order = _new(org, title="Broken window")
    _change(org, order, title="Broken door")
    assert org.api.get(f"{org.path}/work-orders?q=window").json()["data"] == []
    assert len(org.api.get(f"{org.path}/work-orders?q=door").json()["data"]) == 1


def test_a_changed_priority_moves_the_deadlines(org: Organization) -> None:
    order = _new(org, priority="Low")
    changed = _change(org, order, priority="Critical").json()["data"]
    assert changed["slaResponseDeadline"] == order["created"] + 15 * 60
    assert changed["slaResolutionDeadline"] == order["created"] + 240 * 60


def test_a_checklist_remembers_who_did_what(org: Organization) -> None:
    order = _new(org, checklist=[{"text": "Switch off"}, {"text": "Replace"}])
    first, second = order["checklist"]
    assert first == {"id": first["id"], "text": "Switch off", "done": False, "doneBy": None, "doneAt": None}
    ticked = _change(
        org, order, checklist=[{"id": first["id"], "text": "Switch off", "done": True}, {"text": "Test"}]
    ).json()["data"]
    done, new = ticked["checklist"]
    assert done["doneBy"] == org.user_id
    assert done["doneAt"] >= order["created"]
    assert new["text"] == "Test"
    assert second["id"] not in {done["id"], new["id"]}
    assert _change(org, order, checklist=[{"id": "chk_1", "text": "?"}]).status_code == 422


def test_comments_are_possible_in_every_state(org: Organization) -> None:
    order = _new(org)
    path = f"{org.path}/work-orders/{order['id']}"
    org.api.post(f"{path}/cancel", json={"reason": "Wrong building"})
    made = org.created(f"work-orders/{order['id']}/comments", {"text": "Sorry!"})
    assert made == {
        "id": made["id"],
        "workOrderId": order["id"],
        "text": "Sorry!",
        "createdBy": org.user_id,
        "created": made["created"],
    }
    assert org.api.get(f"{path}/comments").json()["data"] == [made]
    assert org.api.get(f"{org.path}/work-orders/wo_1/comments").status_code == 404
    assert org.api.post(f"{org.path}/work-orders/wo_1/comments", json={"text": "?"}).status_code == 404


def test_an_untouched_order_can_be_deleted(org: Organization) -> None:
    path = f"{org.path}/work-orders/{_new(org)['id']}"
    assert org.api.delete(path).json() == {"data": {"deleted": True}}
    assert org.api.get(path).status_code == 404


@pytest.mark.parametrize("touch", ["start", "change", "comment"])
def test_an_order_with_a_history_stays(org: Organization, touch: str) -> None:
    path = f"{org.path}/work-orders/{_new(org)['id']}"
    match touch:
        case "start":
            org.api.post(f"{path}/start")
        case "change":
            org.api.patch(path, json={"title": "Other"})
        case "comment":
            org.api.post(f"{path}/comments", json={"text": "Hm"})
    assert org.api.delete(path).status_code == 409


def test_the_whole_list_comes_as_csv_and_ndjson(org: Organization) -> None:
    first = _new(org, title='With "quotes", and comma')
    second = _new(org)
    lines = org.api.get(f"{org.path}/work-orders.ndjson").text.splitlines()
    assert [httpx.Response(200, text=line).json()["id"] for line in lines] == [second["id"], first["id"]]
    answer = org.api.get(f"{org.path}/work-orders.csv?status=Open")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    head, *rows = answer.text.splitlines()
    assert head.startswith("id,number,title,description,status,priority")
    assert rows[1].startswith(f'{first["id"]},1,"With ""quotes"", and comma",,Open,Medium')


def test_the_sla_policy_can_be_read_and_set(org: Organization) -> None:
    path = f"{org.path}/sla-policy"
    default = org.api.get(path).json()["data"]
    assert default["targets"]["Critical"] == {"responseMinutes": 15, "resolutionMinutes": 240}
    assert default["calendar"] == {"mode": "24x7"}
    targets = {name: {"responseMinutes": 10, "resolutionMinutes": 20} for name in default["targets"]}
    calendar = {
        "mode": "weekly",
        "timezone": "Asia/Kolkata",
        "monday": [{"from": "08:00", "to": "12:00"}, {"from": "13:00", "to": "24:00"}],
        "holidays": ["2026-12-25"],
    }
    answer = org.api.put(path, json={"targets": targets, "calendar": calendar})
    assert answer.status_code == 200
    stored = org.api.get(path).json()["data"]
    assert stored == answer.json()["data"]
    assert stored["calendar"]["monday"] == calendar["monday"]
    order = _new(org)
    assert order["slaResponseDeadline"] > order["created"]
    assert org.api.put(path, json={"targets": targets}, headers={"If-Match": '"stale"'}).status_code == 412


@pytest.mark.parametrize(
    ("calendar", "field"),
    [
        (
            {"mode": "weekly", "timezone": "Mars/Olympus", "monday": [{"from": "08:00", "to": "09:00"}]},
            "calendar.timezone",
        ),
        ({"mode": "weekly", "timezone": "UTC"}, "calendar"),
        (
            {"mode": "weekly", "timezone": "UTC", "monday": [{"from": "09:00", "to": "08:00"}]},
            "calendar.monday",
        ),
        (
            {
                "mode": "weekly",
                "timezone": "UTC",
                "friday": [{"from": "08:00", "to": "12:00"}, {"from": "11:00", "to": "13:00"}],
            },
            "calendar.friday",
        ),
        ({"mode": "sometimes"}, "calendar.mode"),
    ],
)
def test_a_calendar_that_makes_no_sense_is_refused(org: Organization, calendar: Any, field: str) -> None:
    targets = {
        name: {"responseMinutes": 10, "resolutionMinutes": 20}
        for name in ("Low", "Medium", "High", "Critical")
    }
    answer = org.api.put(f"{org.path}/sla-policy", json={"targets": targets, "calendar": calendar})
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field
