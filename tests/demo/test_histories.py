"""Whenever the demo is seeded, its past is whole: at New Year, on a Sunday night, when clocks are changed."""

import datetime as dt
from collections import Counter
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from steward.assets.model import NewAsset
from steward.assets.rules import new_asset
from steward.bookings.model import BookingStatus
from steward.bookings.resources.rules import new_resource
from steward.demo import agenda, orders
from steward.demo.agenda import booking_history, visitor_history
from steward.demo.campus import EQUIPMENT
from steward.demo.inspections import inspections
from steward.demo.order_history import OrderHistory, order_history
from steward.demo.past import DAY, drawn, ids
from steward.demo.rates import rates
from steward.forms.model import FormStatus
from steward.kit.security.caller import SOME_TENANT
from steward.locations.model import LocationType, NewLocation
from steward.locations.rules import new_location
from steward.sor_quotations.model import QuotationStatus
from steward.sor_schedules.model import ScheduleStatus
from steward.visitors.model import VisitorStatus
from steward.work_orders.model import WorkOrderStatus
from steward.work_orders.sla.rules import new_policy

PEOPLE = [f"usr_{number}" for number in range(6)]
MOMENTS = {
    "new year": (2027, 1, 1, 0, 30),
    "sunday night": (2026, 11, 15, 23, 50),
    "monday morning": (2026, 11, 16, 7, 5),
    "clocks forward": (2026, 3, 29, 3, 30),
    "clocks back": (2026, 10, 25, 2, 30),
    "leap day": (2028, 2, 29, 12, 0),
}


@pytest.fixture(params=sorted(MOMENTS))
def now(request: pytest.FixtureRequest) -> int:
    year, month, day, hour, minute = MOMENTS[request.param]
    return int(dt.datetime(year, month, day, hour, minute, tzinfo=ZoneInfo("Europe/Berlin")).timestamp())


def _orders(now: int) -> OrderHistory:
    sla = new_policy(orders.policy(now), now)
    crew = orders.Crew(PEOPLE[0], PEOPLE[1:5], PEOPLE[4:])
    rooms = [
        new_location(NewLocation(name=f"Room {number}", type=LocationType.SPACE), now) for number in range(5)
    ]
    equipment = [
        (one.kind, new_asset(NewAsset(name=one.name, asset_type_id="aty"), SOME_TENANT, now))
        for one in EQUIPMENT
    ]
    plan = orders.OrderPlan(sla, crew, rooms, equipment, now)
    planned = [*plan.reported(), *plan.planned(), *plan.current()]
    return order_history(sla, planned, tenant=SOME_TENANT, id_at=ids(drawn("test")), now=now)


def test_demo_orders_have_every_state_and_no_future_times(now: int) -> None:
    made = _orders(now)
    assert {order.status for order in made.orders} == set(WorkOrderStatus)
    assert all(order.updated <= now for order in made.orders)
    assert all(comment.created <= now for comment in made.comments)
    said = Counter(comment.work_order_id for comment in made.comments)
    assert {order.id: order.comment_count for order in made.orders if order.comment_count} == said
    assert {order.id: order.reporter_comment_count for order in made.orders if order.comment_count} == said
    assert [event.created for event in made.events] == sorted(event.created for event in made.events)
    assert all(now - 30 * DAY < event.created <= now for event in made.events)
    found = rates(made.orders, PEOPLE[0], PEOPLE[1], id_at=ids(drawn("test")), now=now)
    assert {quotation.status for quotation in found.quotations} == set(QuotationStatus)
    assert any(quotation.rejected_reason for quotation in found.quotations)
    assert {schedule.status for schedule in found.schedules} == set(ScheduleStatus)
    assert all(quotation.updated <= now for quotation in found.quotations)


def test_the_same_moment_gives_the_same_orders(now: int) -> None:
    one, other = _orders(now), _orders(now)
    assert [(o.id, o.title, o.status, o.updated) for o in one.orders] == [
        (o.id, o.title, o.status, o.updated) for o in other.orders
    ]


def test_bookings_lie_apart_and_of_every_state(now: int) -> None:
    resources = [new_resource(new, now - 400 * DAY) for _, new in agenda.resources()]
    made = booking_history(resources, PEOPLE, ids(drawn("test")), now)
    assert {booking.status for booking in made} == set(BookingStatus)
    assert all(booking.updated <= now for booking in made)
    for resource in resources:
        mine = sorted(b.slot.start_time for b in made if b.resource_id == resource.id)
        ends = sorted(b.slot.end_time for b in made if b.resource_id == resource.id)
        assert all(end + resource.buffer_seconds <= start for end, start in zip(ends, mine[1:], strict=False))
        assert all(one < other for one, other in pairwise(mine))
    open_after_release = [b for b in made if b.release_at is not None and b.release_at <= now]
    assert all(b.start_time > now - DAY for b in open_after_release)


def test_visitors_of_every_state_and_forms_too(now: int) -> None:
    visitors = visitor_history(PEOPLE, ["loc_1"], ids(drawn("test")), now)
    assert {visitor.status for visitor in visitors} == set(VisitorStatus)
    on_site = [visitor for visitor in visitors if visitor.status is VisitorStatus.CHECKED_IN]
    assert all((visitor.checked_in_at or 0) <= now for visitor in on_site)
    assert min(visitor.created for visitor in visitors) > now - 95 * DAY
    found = inspections(PEOPLE, ["loc_1"], PEOPLE[0], id_at=ids(drawn("test")), now=now)
    assert {form.status for form in found.forms} == set(FormStatus)
    assert all(submission.created <= now for submission in found.submissions)
