"""Every legal and illegal move, and their events."""

import asyncio
from typing import Any

import asyncpg
import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization
from tests.support.waiting import limit
from tests.support.work_order_moves import ALLOWED, REASONS, WAYS

from steward.kit.db.pool import Pool
from steward.work_orders.sla.jobs import publish_breaches

VERBS = ["start", "hold", "resume", "complete", "cancel", "reopen"]


def _move(organization: Organization, order_id: str, verb: str) -> httpx.Response:
    path = f"{organization.path}/work-orders/{order_id}/{verb}"
    return organization.api.post(path, json=REASONS[verb]) if verb in REASONS else organization.api.post(path)


def _in_state(organization: Organization, state: str) -> dict[str, Any]:
    order = organization.created("work-orders", {"title": "Lift is stuck", "priority": "High"})
    for verb in WAYS[state]:
        order = data_of(_move(organization, order["id"], verb))
    assert order["status"] == state
    return order


def _events(organization: Organization) -> list[dict[str, Any]]:
    """Oldest first."""
    return data_of(organization.api.get(f"/v2{organization.path}/events?limit=100"))[::-1]


@pytest.mark.parametrize("state", WAYS)
def test_allowed_moves_succeed_and_others_are_refused(organization: Organization, state: str) -> None:
    for verb in VERBS:
        order = _in_state(organization, state)
        answer = _move(organization, order["id"], verb)
        if verb in ALLOWED[state]:
            assert answer.status_code == 200, answer.text
            assert data_of(answer)["status"] == ALLOWED[state][verb]
        else:
            assert answer.status_code == 409
            allowed = ", ".join(ALLOWED[state]) or "none"
            assert (
                answer.json()["message"]
                == f"A work order that is {state} can't {verb}; allowed from here: {allowed}."
            )


@pytest.mark.parametrize("state", WAYS)
def test_a_changed_status_performs_the_same_moves(organization: Organization, state: str) -> None:
    targets = {"InProgress": "InProgress", **{target: target for target in WAYS}}
    for target in targets:
        order = _in_state(organization, state)
        body: dict[str, Any] = {"status": target}
        if target == "OnHold" and state == "InProgress":
            body["holdReason"] = "Waiting"
        if target == "Cancelled" and state in {"Open", "InProgress", "OnHold"}:
            body["cancelReason"] = "Enough"
        answer = organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json=body)
        possible = target == state or target in ALLOWED[state].values()
        assert answer.status_code == (200 if possible else 409), answer.text
        if possible:
            assert data_of(answer)["status"] == target


def test_a_hold_needs_a_reason(organization: Organization) -> None:
    order = _in_state(organization, "InProgress")
    path = f"{organization.path}/work-orders/{order['id']}"
    assert organization.api.post(f"{path}/hold").status_code == 422
    answer = organization.api.patch(path, json={"status": "OnHold"})
    assert answer.json()["details"] == [{"field": "holdReason", "message": "is required with this status"}]


@pytest.mark.parametrize("state", ["Completed", "Cancelled"])
def test_a_finished_order_is_read_only(organization: Organization, state: str) -> None:
    order = _in_state(organization, state)
    answer = organization.api.patch(f"{organization.path}/work-orders/{order['id']}", json={"title": "Other"})
    assert answer.status_code == 409


def test_concurrent_moves_have_one_winner_and_one_event(organization: Organization) -> None:
    order = _in_state(organization, "Open")

    async def race() -> list[int]:
        async with httpx.AsyncClient(
            base_url=organization.base_url, headers=dict(organization.api.headers), timeout=limit(120)
        ) as client:
            path = f"{organization.path}/work-orders/{order['id']}/start"
            return [a.status_code for a in await asyncio.gather(*(client.post(path) for _ in range(8)))]

    assert sorted(asyncio.run(race())) == [200] + [409] * 7
    assert [event["type"] for event in _events(organization)] == [
        "workorder.created",
        "workorder.status.changed",
    ]


def test_a_stale_if_match_moves_nothing(organization: Organization) -> None:
    order = _in_state(organization, "Open")
    path = f"{organization.path}/work-orders/{order['id']}"
    tag = organization.api.get(path).headers["etag"]
    assert organization.api.patch(path, json={"title": "New title"}).status_code == 200
    assert organization.api.post(f"{path}/start", headers={"If-Match": tag}).status_code == 412
    assert data_of(organization.api.get(path))["status"] == "Open"


def test_every_change_is_described_field_by_field(organization: Organization) -> None:
    order = organization.created(
        "work-orders", {"title": "Lift is stuck", "priority": "High", "description": "Floor 2"}
    )
    path = f"{organization.path}/work-orders/{order['id']}"
    changed = data_of(organization.api.patch(path, json={"title": "Lift stands still", "description": None}))
    started = data_of(_move(organization, order["id"], "start"))
    completed = data_of(_move(organization, order["id"], "complete"))
    created_event, updated_event, status_event, completed_event = _events(organization)

    def envelope(event: dict[str, Any], kind: str, data: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": event["id"],
            "type": kind,
            "organizationId": organization.id,
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
    assert completed["completedBy"] == organization.user_id


async def _tell(database_url: str, now: int) -> None:
    pool = Pool(database_url, 2)
    try:
        await publish_breaches(pool, now)
    finally:
        await pool.close()


def _breaches(organization: Organization) -> list[str]:
    return [
        event["data"]["object"]["deadline"]
        for event in _events(organization)
        if event["type"] == "workorder.sla.breached"
    ]


def test_a_missed_deadline_writes_one_event(organization: Organization) -> None:
    order = _in_state(organization, "Open")
    for late in (60 * 60 - 1, 60 * 60, 60 * 60 + 600, 480 * 60, 480 * 60 + 600):
        asyncio.run(_tell(organization.database_url, order["created"] + late))
    assert _breaches(organization) == ["response", "resolution"]
    event = next(event for event in _events(organization) if event["type"] == "workorder.sla.breached")
    assert "previousAttributes" not in event["data"]
    assert event["data"]["object"]["slaResponseDeadline"] == order["slaResponseDeadline"]


def test_no_deadline_is_missed_while_on_hold(organization: Organization) -> None:
    order = _in_state(organization, "OnHold")
    asyncio.run(_tell(organization.database_url, order["created"] + 10_000_000))
    assert _breaches(organization) == []


def test_a_deadline_missed_between_two_checks_is_reported_by_the_next_move(
    organization: Organization,
) -> None:
    order = _in_state(organization, "Open")

    async def let_time_pass() -> None:
        connection = await asyncpg.connect(organization.database_url)
        await connection.execute(
            "UPDATE work_orders SET sla_response_deadline = created - 5 WHERE organization_id = $1 AND id = $2",
            organization.id,
            order["id"],
        )
        await connection.close()

    asyncio.run(let_time_pass())
    _move(organization, order["id"], "start")
    assert _breaches(organization) == ["response"]
