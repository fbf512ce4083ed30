"""The demo that `steward up --demo` makes: something in every list, and nothing that the API would not have let in."""

import asyncio
import json
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import httpx
import msgspec
import pytest
from tests.architecture.source import ROOT
from tests.demo.seeded import SeededDemo
from tests.support.databases import fetch
from tests.support.waiting import limit

from steward.alert_rules.alerts.model import Alert
from steward.assets.model import Asset
from steward.bookings.model import Booking
from steward.bookings.resources.model import BookableResource
from steward.decks.model import Deck
from steward.demo.people import LOGINS
from steward.demo.seed import seed_demo
from steward.forms.model import Form
from steward.kit.security.caller import TenantId
from steward.locations.model import Location
from steward.sor_quotations.model import Quotation
from steward.sor_schedules.model import Schedule
from steward.visitors.model import Visitor
from steward.wiring.organization_defaults import install_organization_defaults
from steward.work_orders.model import WorkOrder, WorkOrderStatus
from steward.work_orders.sla.business_hours import after, between
from steward.work_orders.sla.model import SlaPolicy

_DOCUMENT = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
LISTS = {
    operation["get"]["operationId"]: path
    for path, operation in _DOCUMENT["paths"].items()
    if operation.get("get", {}).get("operationId", "").startswith("list")
}
ORDERS = "/organizations/{orgId}/work-orders"


def _parents(seeded: SeededDemo, path: str) -> list[str]:
    """The paths of a list within each record that it may lie in."""
    before, _, rest = path.replace("{orgId}", seeded.demo.organization_id).partition("{")
    if not rest:
        return [before]
    name, _, tail = rest.partition("}")
    parents = seeded.get(before.rstrip("/"), limit=100)["data"]
    return [f"{before}{parent.get(name) or parent['id']}{tail}" for parent in parents]


@pytest.mark.parametrize("operation", sorted(LISTS))
def test_no_list_is_empty(seeded: SeededDemo, operation: str) -> None:
    assert any(seeded.get(path)["data"] for path in _parents(seeded, LISTS[operation]))


@pytest.mark.parametrize(
    ("path", "record"),
    [
        (ORDERS, WorkOrder),
        ("/organizations/{orgId}/assets", Asset),
        ("/organizations/{orgId}/alerts", Alert),
        ("/organizations/{orgId}/bookings", Booking),
        ("/organizations/{orgId}/resources", BookableResource),
        ("/organizations/{orgId}/visitors", Visitor),
        ("/organizations/{orgId}/locations", Location),
        ("/organizations/{orgId}/forms", Form),
        ("/organizations/{orgId}/decks", Deck),
        ("/organizations/{orgId}/sor/schedules", Schedule),
        ("/organizations/{orgId}/sor/quotations", Quotation),
    ],
)
def test_every_record_is_what_the_api_promises_and_every_state_occurs(
    seeded: SeededDemo, path: str, record: type[msgspec.Struct]
) -> None:
    found: list[Any] = [msgspec.convert(one, record) for one in seeded.all(path)]
    states = {field.name: field.type for field in msgspec.structs.fields(record)}.get("status")
    assert found
    # How assets and their alerts are just now depends on the minute of the seeding.
    if states is not None and record not in {Asset, Alert}:
        assert {one.status for one in found} == set(states)


def test_some_alerts_are_open_and_most_have_gone(seeded: SeededDemo) -> None:
    states = Counter(alert["status"] for alert in seeded.all("/organizations/{orgId}/alerts"))
    assert states["Cleared"] > 100
    assert 1 <= states["Active"] + states["Acknowledged"] < 20


def test_numbers_have_no_gaps_and_the_next_order_goes_on(seeded: SeededDemo) -> None:
    orders = seeded.all(ORDERS)
    assert [order["number"] for order in orders] == list(range(len(orders), 0, -1))
    assert [order["created"] for order in orders] == sorted((o["created"] for o in orders), reverse=True)
    last = fetch(
        seeded.url,
        "SELECT last FROM counters WHERE organization_id = $1 AND name = 'work order'",
        seeded.demo.organization_id,
    )[0][0]
    assert last == len(orders)
    assert 700 <= len(orders) <= 1500


def test_deadlines_pauses_and_misses_are_those_of_the_policy(seeded: SeededDemo) -> None:
    policy = msgspec.convert(seeded.get("/organizations/{orgId}/sla-policy")["data"], SlaPolicy)
    orders = msgspec.convert(seeded.all(ORDERS), list[WorkOrder])
    for order in orders:
        target, calendar = policy.targets[order.priority], policy.calendar
        paused = order.sla_paused_seconds
        assert order.sla_response_deadline == after(calendar, order.created, target.response_minutes * 60)
        assert order.sla_resolution_deadline == after(
            calendar, order.created, target.resolution_minutes * 60 + paused
        )
        assert (order.completed_at is not None) == (order.status is WorkOrderStatus.COMPLETED)
        if order.responded_at is not None:
            late = order.responded_at >= (order.sla_response_deadline or 0)
            assert order.created <= order.responded_at
            assert late == (order.sla_response_breached_at is not None), order
        if order.completed_at is not None and paused == 0:
            late = order.completed_at >= (order.sla_resolution_deadline or 0)
            assert late == (order.sla_resolution_breached_at is not None), order
        assert paused <= between(calendar, order.created, order.updated)
        assert order.created <= order.updated
    held = [order for order in orders if order.sla_paused_seconds]
    assert len(held) > 50


def test_a_year_of_work_was_mostly_done_in_time_and_mostly_on_weekdays(seeded: SeededDemo) -> None:
    orders = msgspec.convert(seeded.all(ORDERS), list[WorkOrder])
    done = [order for order in orders if order.status is WorkOrderStatus.COMPLETED]
    missed = sum(order.sla_resolution_breached_at is not None for order in done)
    assert 0.02 < missed / len(done) < 0.25
    months = Counter(order.created // (30 * 86_400) for order in orders)
    assert len(months) >= 12
    # 1 January 1970 was a Thursday.
    weekend = sum((order.created // 86_400 + 3) % 7 >= 5 for order in orders)
    assert weekend < len(orders) / 10
    old = [order for order in orders if order.created < max(months) * 30 * 86_400 - 60 * 86_400]
    assert all(order.status in {WorkOrderStatus.COMPLETED, WorkOrderStatus.CANCELLED} for order in old)


def test_no_two_bookings_of_a_resource_overlap_and_its_buffer_is_kept(seeded: SeededDemo) -> None:
    buffers = {one["id"]: one["bufferMinutes"] * 60 for one in seeded.all("/organizations/{orgId}/resources")}
    taken: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for booking in seeded.all("/organizations/{orgId}/bookings"):
        if booking["status"] in {"Confirmed", "CheckedIn"}:
            taken[booking["resourceId"]].append((booking["startTime"], booking["endTime"]))
    for resource, slots in taken.items():
        ordered = sorted(slots)
        for (_, end), (start, _) in pairwise(ordered):
            assert end + buffers[resource] <= start
    assert set(taken) == set(buffers)


def test_visitors_are_expected_on_site_and_gone(seeded: SeededDemo) -> None:
    visitors = seeded.all("/organizations/{orgId}/visitors")
    for visitor in visitors:
        times = [visitor["created"], visitor["checkedInAt"], visitor["checkedOutAt"]]
        told = [time for time in times if time is not None]
        assert told == sorted(told)
        assert visitor["erasedAt"] is None


def test_assets_stand_somewhere_and_charts_have_a_month(seeded: SeededDemo) -> None:
    assets = seeded.all("/organizations/{orgId}/assets")
    devices = [asset for asset in assets if asset["lastSeen"] is not None]
    assert len(devices) >= 60
    assert all(asset["locationId"] for asset in assets)
    assert any(asset["connectionStatus"] is False for asset in devices)
    freezer = next(asset for asset in devices if asset["name"] == "Freezer 1")
    month = seeded.get(
        f"/organizations/{{orgId}}/assets/{freezer['id']}/telemetry",
        key="Temperature",
        **{"from": freezer["lastSeen"] - 30 * 86_400},
    )["data"]
    points = month["series"][0]["points"]
    assert len(points) > 400
    assert points[-1]["timestamp"] >= freezer["lastSeen"] - 2 * 86_400
    assert max(point["max"] for point in points) > -13  # it was too warm once, and that is an alert
    alerts = seeded.all("/organizations/{orgId}/alerts", assetId=freezer["id"])
    assert all(alert["workOrderId"] for alert in alerts)


def test_demo_history_has_events_but_no_deliveries(seeded: SeededDemo) -> None:
    events = seeded.all("/v2/organizations/{orgId}/events")
    assert [event["created"] for event in events] == sorted((e["created"] for e in events), reverse=True)
    about = {event["data"]["object"]["id"] for event in events}
    newest = seeded.get(ORDERS)["data"]
    assert {order["id"] for order in newest} <= about
    statuses = fetch(seeded.url, "SELECT DISTINCT status FROM deliveries")
    assert [row[0] for row in statuses] == ["skipped"]


def test_the_second_start_finds_what_the_first_made(seeded: SeededDemo) -> None:
    before = fetch(seeded.url, "SELECT count(*) FROM organizations")[0][0]
    assert SeededDemo.seed_again(seeded.url, seeded.directory) == seeded.demo
    assert fetch(seeded.url, "SELECT count(*) FROM organizations")[0][0] == before


def test_a_failed_seeding_leaves_nothing_and_the_next_succeeds(
    seeded: SeededDemo, tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("broken")
    counts = "SELECT (SELECT count(*) FROM organizations), (SELECT count(*) FROM accounts), (SELECT count(*) FROM assets)"
    before = [tuple(row) for row in fetch(seeded.url, counts)]

    async def break_off(_tx: Any, _tenant: TenantId, _now: int) -> None:
        raise RuntimeError("the power went out")

    with pytest.raises(RuntimeError):
        asyncio.run(seed_demo(seeded.url, (bytes(32),), directory, break_off))
    # As if it had died between writing the file and the commit.
    (directory / "demo.json").write_bytes(
        msgspec.json.encode(msgspec.structs.replace(seeded.demo, organization_id="org_never_made"))
    )
    assert [tuple(row) for row in fetch(seeded.url, counts)] == before
    made = asyncio.run(seed_demo(seeded.url, (bytes(32),), directory, install_organization_defaults))
    assert made.organization_id not in {"org_never_made", seeded.demo.organization_id}


@pytest.mark.parametrize("person", LOGINS, ids=lambda person: person.role)
def test_the_printed_logins_work(seeded: SeededDemo, person: Any) -> None:
    body = {
        "account": person.email,
        "password": seeded.demo.password,
        "organizationId": seeded.demo.organization_id,
    }
    assert (
        httpx.post(f"{seeded.base_url}/authentications/tokens", json=body, timeout=limit(60)).status_code
        == 200
    )
