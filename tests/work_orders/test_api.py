import asyncio
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import limit


def _new(organization: Organization, **fields: Any) -> dict[str, Any]:
    return organization.created("work-orders", {"title": "Lift is stuck", **fields})


def _change(organization: Organization, order: dict[str, Any], **fields: Any) -> httpx.Response:
    return organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json=fields)


def test_a_new_work_order_can_be_read_and_is_listed(organization: Organization) -> None:
    answer = organization.api.post(
        f"{organization.path}/work-orders",
        json={"title": "Lift is stuck", "priority": "High", "description": "Floor 2"},
    )
    assert answer.status_code == 201
    order = data_of(answer)
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
        "reportedBy": organization.user_id,
        "checklist": [],
        "commentCount": 0,
        "reporterCommentCount": 0,
        "externalId": None,
        "metadata": {},
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
    assert answer.headers["location"] == f"{organization.path}/work-orders/{order['id']}"
    assert organization.api.get(answer.headers["location"]).json() == {"data": order}
    assert organization.api.get(f"{organization.path}/work-orders").json() == {
        "data": [order],
        "lastEvaluatedKey": None,
    }


def test_a_hundred_work_orders_at_once_are_numbered_without_gaps(organization: Organization) -> None:
    async def create_all() -> list[int]:
        async with httpx.AsyncClient(
            base_url=organization.base_url, headers=dict(organization.api.headers), timeout=limit(120)
        ) as client:
            answers = await asyncio.gather(
                *(
                    client.post(f"{organization.path}/work-orders", json={"title": f"Order {i}"})
                    for i in range(100)
                )
            )
        return [data_of(answer)["number"] for answer in answers]

    assert sorted(asyncio.run(create_all())) == list(range(1, 101))


@pytest.mark.parametrize(
    ("field", "noun"),
    [("assigneeId", "user"), ("reportedBy", "user"), ("locationId", "location"), ("assetId", "asset")],
)
def test_a_reference_to_something_absent_names_the_field(
    organization: Organization, field: str, noun: str
) -> None:
    answer = organization.api.post(f"{organization.path}/work-orders", json={"title": "x", field: "xyz_1"})
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
def test_lists_can_be_filtered(organization: Organization, query: str, expected: list[str]) -> None:
    a = _new(organization, title="会議室の水漏れ", description="a")
    _new(organization, title="Leak in the kitchen", description="b", priority="Critical")
    _new(organization, title="Roof has a leak", description="c")
    organization.api.post(f"{organization.path}/work-orders/{a['id']}/start")
    answer = organization.api.get(f"{organization.path}/work-orders?{query}")
    assert [order["description"] for order in data_of(answer)] == expected


def test_one_letter_is_too_little_to_search_for(organization: Organization) -> None:
    order = _new(organization, title="Broken window")
    assert organization.work_orders.listed(q="z") == [order]
    assert organization.work_orders.listed(q="z window") == [order]


def test_a_changed_title_is_found_and_the_old_one_is_not(organization: Organization) -> None:
    order = _new(organization, title="Broken window")
    _change(organization, order, title="Broken door")
    assert data_of(organization.api.get(f"{organization.path}/work-orders?q=window")) == []
    assert len(data_of(organization.api.get(f"{organization.path}/work-orders?q=door"))) == 1


def test_a_changed_priority_moves_the_deadlines(organization: Organization) -> None:
    order = _new(organization, priority="Low")
    changed = data_of(_change(organization, order, priority="Critical"))
    assert changed["slaResponseDeadline"] == order["created"] + 15 * 60
    assert changed["slaResolutionDeadline"] == order["created"] + 240 * 60


def test_a_checklist_remembers_who_did_what(organization: Organization) -> None:
    order = _new(organization, checklist=[{"text": "Switch off"}, {"text": "Replace"}])
    first, second = order["checklist"]
    assert first == {"id": first["id"], "text": "Switch off", "done": False, "doneBy": None, "doneAt": None}
    ticked = data_of(
        _change(
            organization,
            order,
            checklist=[{"id": first["id"], "text": "Switch off", "done": True}, {"text": "Test"}],
        )
    )
    done, new = ticked["checklist"]
    assert done["doneBy"] == organization.user_id
    assert done["doneAt"] >= order["created"]
    assert new["text"] == "Test"
    assert second["id"] not in {done["id"], new["id"]}
    assert _change(organization, order, checklist=[{"id": "chk_1", "text": "?"}]).status_code == 422


def test_comments_are_possible_in_every_state(organization: Organization) -> None:
    order = _new(organization)
    path = f"{organization.path}/work-orders/{order['id']}"
    organization.api.post(f"{path}/cancel", json={"reason": "Wrong building"})
    made = organization.created(f"work-orders/{order['id']}/comments", {"text": "Sorry!"})
    assert made == {
        "id": made["id"],
        "workOrderId": order["id"],
        "text": "Sorry!",
        "visibility": "team",
        "createdBy": organization.user_id,
        "created": made["created"],
    }
    assert data_of(organization.api.get(f"{path}/comments")) == [made]
    assert organization.api.get(f"{organization.path}/work-orders/wo_1/comments").status_code == 404
    assert (
        organization.api.post(
            f"{organization.path}/work-orders/wo_1/comments", json={"text": "?"}
        ).status_code
        == 404
    )


def test_an_order_without_history_can_be_deleted(organization: Organization) -> None:
    path = f"{organization.path}/work-orders/{_new(organization)['id']}"
    assert organization.api.delete(path).json() == {"data": {"deleted": True}}
    assert organization.api.get(path).status_code == 404


def test_a_comment_writes_an_update_event_of_its_order(organization: Organization) -> None:
    order = organization.work_orders.create("Lift is stuck", priority="High")
    path = f"{organization.path}/work-orders/{order['id']}"
    before = organization.api.get(path)
    organization.sql("UPDATE work_orders SET updated = 1 WHERE organization_id = $1", organization.id)
    comment = organization.created(f"work-orders/{order['id']}/comments", {"text": "Rang the bell."})
    after = organization.api.get(path)
    assert after.headers["etag"] != before.headers["etag"]
    changed = data_of(after)
    assert (changed["commentCount"], changed["updated"]) == (1, comment["created"])
    stale = organization.api.patch(path, json={"title": "?"}, headers={"If-Match": before.headers["etag"]})
    assert stale.status_code == 412
    (_, event) = organization.events()
    assert (event["type"], event["data"]["object"]["comment"]) == ("workorder.commented", comment)
    told = {name: value for name, value in event["data"]["object"].items() if name != "comment"}
    assert told == {name: changed[name] for name in told}
    assert {"id", "number", "title", "status", "priority"} <= told.keys()


@pytest.mark.parametrize("touch", ["start", "change", "comment"])
def test_an_order_with_a_history_cannot_be_deleted(organization: Organization, touch: str) -> None:
    path = f"{organization.path}/work-orders/{_new(organization)['id']}"
    match touch:
        case "start":
            organization.api.post(f"{path}/start")
        case "change":
            organization.api.patch(path, json={"title": "Other"})
        case "comment":
            organization.api.post(f"{path}/comments", json={"text": "Hm"})
    assert organization.api.delete(path).status_code == 409


def test_the_whole_list_comes_as_csv_and_ndjson(organization: Organization) -> None:
    first = _new(organization, title='With "quotes", and comma')
    second = _new(organization)
    lines = organization.api.get(f"{organization.path}/work-orders.ndjson").text.splitlines()
    assert [httpx.Response(200, text=line).json()["id"] for line in lines] == [second["id"], first["id"]]
    answer = organization.api.get(f"{organization.path}/work-orders.csv?status=Open")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    head, *rows = answer.text.splitlines()
    assert head.startswith("id,number,title,description,status,priority")
    assert rows[1].startswith(f'{first["id"]},1,"With ""quotes"", and comma",,Open,Medium')


def test_the_sla_policy_can_be_read_and_set(organization: Organization) -> None:
    path = f"{organization.path}/sla-policy"
    default = data_of(organization.api.get(path))
    assert default["targets"]["Critical"] == {"responseMinutes": 15, "resolutionMinutes": 240}
    assert default["calendar"] == {"mode": "24x7"}
    targets = {name: {"responseMinutes": 10, "resolutionMinutes": 20} for name in default["targets"]}
    calendar = {
        "mode": "weekly",
        "timezone": "Asia/Kolkata",
        "monday": [{"from": "08:00", "to": "12:00"}, {"from": "13:00", "to": "24:00"}],
        "holidays": ["2026-12-25"],
    }
    answer = organization.api.put(path, json={"targets": targets, "calendar": calendar})
    assert answer.status_code == 200
    stored = data_of(organization.api.get(path))
    assert stored == data_of(answer)
    assert stored["calendar"]["monday"] == calendar["monday"]
    order = _new(organization)
    assert order["slaResponseDeadline"] > order["created"]
    assert (
        organization.api.put(path, json={"targets": targets}, headers={"If-Match": '"stale"'}).status_code
        == 412
    )


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
def test_an_invalid_calendar_is_refused(organization: Organization, calendar: Any, field: str) -> None:
    targets = {
        name: {"responseMinutes": 10, "resolutionMinutes": 20}
        for name in ("Low", "Medium", "High", "Critical")
    }
    answer = organization.api.put(
        f"{organization.path}/sla-policy", json={"targets": targets, "calendar": calendar}
    )
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == field
