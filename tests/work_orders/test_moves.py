"""Every move, every move that isn't one, and what is told of them."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest
from tests.support.organizations import Organization

from steward.kit.db.pool import Pool
from steward.work_orders.sla.jobs import publish_breaches

REASON = {"hold": {"reason": "Waiting for a part"}, "cancel": {"reason": "Not needed"}}
# How to get an order into a state.
WAYS = {
    "Open": [],
    "InProgress": ["start"],
    "OnHold": ["start", "hold"],
    "Completed": ["start", "complete"],
    "Cancelled": ["cancel"],
}
ALLOWED = {
    "Open": {"start": "InProgress", "cancel": "Cancelled"},
    "InProgress": {"hold": "OnHold", "complete": "Completed", "cancel": "Cancelled"},
    "OnHold": {"resume": "InProgress", "cancel": "Cancelled"},
    "Completed": {"reopen": "InProgress"},
    "Cancelled": {},
}
VERBS = ["start", "hold", "resume", "complete", "cancel", "reopen"]


def _move(org: Organization, order_id: str, verb: str) -> httpx.Response:
    path = f"{org.path}/work-orders/{order_id}/{verb}"
    return org.api.post(path, json=REASON[verb]) if verb in REASON else org.api.post(path)


def _in_state(org: Organization, state: str) -> dict[str, Any]:
    order = org.created("work-orders", {"title": "Lift is stuck", "priority": "High"})
    for verb in WAYS[state]:
        order = _move(org, order["id"], verb).json()["data"]
    assert order["status"] == state
    return order


def _events(org: Organization) -> list[dict[str, Any]]:
    """Oldest first."""
    return org.api.get(f"/v2{org.path}/events?limit=100").json()["data"][::-1]


@pytest.mark.parametrize("state", WAYS)
def test_allowed_moves_lead_on_and_others_are_refused(org: Organization, state: str) -> None:
    for verb in VERBS:
        order = _in_state(org, state)
        answer = _move(org, order["id"], verb)
        if verb in ALLOWED[state]:
            assert answer.status_code == 200, answer.text
            assert answer.json()["data"]["status"] == ALLOWED[state][verb]
        else:
            assert answer.status_code == 409
            allowed = ", ".join(ALLOWED[state]) or "none"
            assert (
                answer.json()["message"]
                == f"A work order that is {state} can't {verb}; allowed from here: {allowed}."
            )


@pytest.mark.parametrize("state", WAYS)
def test_a_changed_status_performs_the_same_moves(org: Organization, state: str) -> None:
    targets = {"InProgress": "InProgress", **{target: target for target in WAYS}}
    for target in targets:
        order = _in_state(org, state)
        body: dict[str, Any] = {"status": target}
        if target == "OnHold" and state == "InProgress":
            body["holdReason"] = "Waiting"
        if target == "Cancelled" and state in {"Open", "InProgress", "OnHold"}:
            body["cancelReason"] = "Enough"
        answer = org.api.patch(f"{org.path}/work-orders/{order['id']}", json=body)
        possible = target == state or target in ALLOWED[state].values()
        assert answer.status_code == (200 if possible else 409), answer.text
        if possible:
            assert answer.json()["data"]["status"] == target


def test_a_hold_needs_a_reason(org: Organization) -> None:
    order = _in_state(org, "InProgress")
    path = f"{org.path}/work-orders/{order['id']}"
    assert org.api.post(f"{path}/hold").status_code == 422
    answer = org.api.patch(path, json={"status": "OnHold"})
    assert answer.json()["details"] == [{"field": "holdReason", "message": "is required with this status"}]


@pytest.mark.parametrize("state", ["Completed", "Cancelled"])
def test_a_finished_order_is_read_only(org: Organization, state: str) -> None:
    order = _in_state(org, state)
    answer = org.api.patch(f"{org.path}/work-orders/{order['id']}", json={"title": "Other"})
    assert answer.status_code == 409


def test_two_callers_who_race_for_a_move_get_one_winner_and_one_event(org: Organization) -> None:
    order = _in_state(org, "Open")

    async def race() -> list[int]:
        async with httpx.AsyncClient(
            base_url=org.base_url, headers=dict(org.api.headers), timeout=30
        ) as client:
            path = f"{org.path}/work-orders/{order['id']}/start"
            return [a.status_code for a in await asyncio.gather(*(client.post(path) for _ in range(8)))]

    assert sorted(asyncio.run(race())) == [200] + [409] * 7
    assert [event["type"] for event in _events(org)] == ["workorder.created", "workorder.status.changed"]


def test_a_stale_if_match_moves_nothing(org: Organization) -> None:
    order = _in_state(org, "Open")
    path = f"{org.path}/work-orders/{order['id']}"
    tag = org.api.get(path).headers["etag"]
    assert org.api.patch(path, json={"title": "New title"}).status_code == 200
    assert org.api.post(f"{path}/start", headers={"If-Match": tag}).status_code == 412
    assert org.api.get(path).json()["data"]["status"] == "Open"


def test_every_change_is_told_field_by_field(org: Organization) -> None:
    order = org.created(
        "work-orders", {"title": "Lift is stuck", "priority": "High", "description": "Floor 2"}
    )
    path = f"{org.path}/work-orders/{order['id']}"
    changed = org.api.patch(path, json={"title": "Lift stands still", "description": None}).json()["data"]
    started = _move(org, order["id"], "start").json()["data"]
    completed = _move(org, order["id"], "complete").json()["data"]
    created_event, updated_event, status_event, completed_event = _events(org)

    def envelope(event: dict[str, Any], kind: str, data: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": event["id"],
            "type": kind,
            "organizationId": org.id,
            "created": event["created"],
            "data": data,
            "livemode": True,
        }

    def shown(source: dict[str, Any], fields: str) -> dict[str, Any]:
        return {field: source[field] for field in fields.split()}

    assert created_event == envelope(
        created_event,
        "workorder.created",
        {
            "object": shown(
                order,
                "id title description status priority locationId assigneeId reportedBy slaResponseDeadline "
                "slaResolutionDeadline created updated",
            )
        },
    )
    assert updated_event == envelope(
        updated_event,
        "workorder.updated",
        {
            "object": shown(changed, "id title status priority locationId assigneeId created updated"),
            "previousAttributes": {"title": "Lift is stuck", "description": "Floor 2"},
        },
    )
    assert status_event == envelope(
        status_event,
        "workorder.status.changed",
        {
            "object": shown(started, "id title status priority created updated"),
            "previousAttributes": {"status": "Open"},
        },
    )
    assert completed_event == envelope(
        completed_event,
        "workorder.completed",
        {
            "object": shown(completed, "id title status priority completedAt completedBy created updated"),
            "previousAttributes": {"status": "InProgress"},
        },
    )
    assert completed["completedBy"] == org.user_id


async def _tell(database_url: str, now: int) -> None:
    pool = Pool(database_url, 2)
    try:
        await publish_breaches(pool, now)
    finally:
        await pool.close()


def _breaches(org: Organization) -> list[str]:
    return [
        event["data"]["object"]["deadline"]
        for event in _events(org)
        if event["type"] == "workorder.sla.breached"
    ]


def test_a_missed_deadline_is_told_once(org: Organization) -> None:
    order = _in_state(org, "Open")
    for late in (60 * 60 - 1, 60 * 60, 60 * 60 + 600, 480 * 60, 480 * 60 + 600):
        asyncio.run(_tell(org.database_url, order["created"] + late))
    assert _breaches(org) == ["response", "resolution"]
    event = next(event for event in _events(org) if event["type"] == "workorder.sla.breached")
    assert "previousAttributes" not in event["data"]
    assert event["data"]["object"]["slaResponseDeadline"] == order["slaResponseDeadline"]


def test_nothing_is_missed_while_on_hold(org: Organization) -> None:
    order = _in_state(org, "OnHold")
    asyncio.run(_tell(org.database_url, order["created"] + 10_000_000))
    assert _breaches(org) == []


def test_a_deadline_that_passed_between_two_looks_is_told_by_the_next_move(org: Organization) -> None:
    order = _in_state(org, "Open")

    async def let_time_pass() -> None:
        connection = await asyncpg.connect(org.database_url)
        await connection.execute(
            "UPDATE work_orders SET sla_response_deadline = created - 5 WHERE organization_id = $1 AND id = $2",
            org.id,
            order["id"],
        )
        await connection.close()

    asyncio.run(let_time_pass())
    _move(org, order["id"], "start")
    assert _breaches(org) == ["response"]
