"""Deadlines, held against a plain restatement: walk the calendar minute by minute."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.work_orders.reference_hours import after_minutes

from steward.kit.domain.fields import Priority
from steward.work_orders import rules
from steward.work_orders.model import EXAMPLE, WorkOrderStatus
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.business_hours import (
    WEEKDAYS,
    AlwaysOpen,
    OpeningHours,
    WeeklyHours,
    after,
    between,
)
from steward.work_orders.sla.model import SlaPolicy, SlaTarget

OFFICE = (OpeningHours("08:00", "17:00"),)
BERLIN = WeeklyHours(
    "Europe/Berlin", OFFICE, OFFICE, OFFICE, OFFICE, OFFICE, holidays=(date(2026, 4, 3), date(2026, 4, 6))
)
KOLKATA = WeeklyHours("Asia/Kolkata", (OpeningHours("09:30", "18:15"),), (OpeningHours("00:00", "24:00"),))
_EVERY_NIGHT: dict[str, Any] = {
    day: (OpeningHours("00:00", "06:00"), OpeningHours("22:00", "24:00")) for day in WEEKDAYS
}
NIGHTS = WeeklyHours("Europe/Berlin", **_EVERY_NIGHT)
CALENDARS = [AlwaysOpen(), BERLIN, KOLKATA, NIGHTS]


def at(text: str, zone: str = "Europe/Berlin") -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-03-02 09:00", 4, "2026-03-02 13:00"),
        ("2026-03-02 16:00", 4, "2026-03-03 11:00"),  # over night
        ("2026-03-06 16:00", 2, "2026-03-09 09:00"),  # over a weekend
        ("2026-03-07 12:00", 1, "2026-03-09 09:00"),  # created outside hours
        ("2026-04-02 16:00", 2, "2026-04-07 09:00"),  # over Easter's holidays
        ("2026-03-27 16:00", 10, "2026-03-30 17:00"),  # over the night when an hour is skipped
        ("2026-10-23 16:00", 10, "2026-10-26 17:00"),  # over the night when an hour comes twice
    ],
)
def test_office_hours_in_berlin(start: str, hours: int, end: str) -> None:
    assert after(BERLIN, at(start), hours * 3600) == at(end)


def test_nights_with_clock_changes_have_one_hour_less_or_more() -> None:
    assert between(NIGHTS, at("2026-03-29 00:00"), at("2026-03-29 06:00")) == 5 * 3600
    assert between(NIGHTS, at("2026-10-25 00:00"), at("2026-10-25 06:00")) == 7 * 3600


def test_half_hour_zones_count_from_their_own_midnight() -> None:
    monday = at("2026-03-02 09:30", "Asia/Kolkata")
    assert after(KOLKATA, monday - 3600, 1800) == monday + 1800
    assert between(KOLKATA, monday, monday + 86400) == int(8.75 * 3600) + int(9.5 * 3600)


moments = st.integers(min_value=at("2026-03-20 00:00"), max_value=at("2026-11-02 00:00")).map(
    lambda t: t - t % 60
)


@given(st.sampled_from([BERLIN, KOLKATA, NIGHTS]), moments, st.integers(min_value=1, max_value=900))
def test_after_is_where_the_walk_ends(calendar: WeeklyHours, start: int, minutes: int) -> None:
    # The walk stops a minute after the last open one; a clock that skips or repeats an hour does so on whole minutes.
    assert after(calendar, start, minutes * 60) == after_minutes(calendar, start, minutes)


@given(st.sampled_from(CALENDARS), moments, st.integers(min_value=0, max_value=10**6))
def test_between_undoes_after(calendar: WeeklyHours | AlwaysOpen, start: int, seconds: int) -> None:
    end = after(calendar, start, seconds)
    assert end is not None
    assert between(calendar, start, end) == seconds


@given(st.sampled_from(CALENDARS), moments, st.integers(0, 10**6), st.integers(0, 10**6))
def test_working_time_adds_up(
    calendar: WeeklyHours | AlwaysOpen, start: int, first: int, second: int
) -> None:
    middle, end = start + first, start + first + second
    assert between(calendar, start, middle) + between(calendar, middle, end) == between(calendar, start, end)


def policy(calendar: WeeklyHours | AlwaysOpen) -> SlaPolicy:
    return SlaPolicy({p: SlaTarget(60, 240 * (i + 1)) for i, p in enumerate(Priority)}, calendar)


def details(policy: SlaPolicy, now: int) -> rules.OrderMoveDetails:
    return rules.OrderMoveDetails(now, "usr_1", "part", policy=policy)


@given(
    st.sampled_from(CALENDARS),
    moments,
    st.lists(st.tuples(st.integers(60, 200_000), st.integers(60, 200_000)), max_size=4),
)
def test_pauses_move_the_resolution_by_exactly_what_they_lasted_in_working_time(
    calendar: WeeklyHours | AlwaysOpen, created: int, spans: list[tuple[int, int]]
) -> None:
    rule = policy(calendar)
    order = sla.with_deadlines(rule, replace(EXAMPLE, created=created, updated=created), created)
    order = rules.started(order, details(rule, created + 1))
    now, stood_still = created + 1, 0
    for work, pause in spans:
        now += work
        order = rules.held(order, details(rule, now))
        stood_still += between(calendar, now, now + pause)
        now += pause
        order = rules.resumed(order, details(rule, now))
    minutes = rule.targets[order.priority].resolution_minutes
    assert order.sla_resolution_deadline == after(calendar, created, minutes * 60 + stood_still)
    assert order.sla_response_deadline == after(calendar, created, 60 * 60)


def test_a_changed_priority_keeps_the_pause() -> None:
    rule = policy(AlwaysOpen())
    order = sla.with_deadlines(rule, replace(EXAMPLE, priority=Priority.LOW), EXAMPLE.created)
    held = rules.held(rules.started(order, details(rule, 0)), details(rule, order.created + 100))
    order = rules.resumed(held, details(rule, order.created + 700))
    changed = sla.with_deadlines(rule, replace(order, priority=Priority.CRITICAL), order.created + 800)
    assert changed.sla_resolution_deadline == order.created + 960 * 60 + 600


def test_time_between_completion_and_reopening_does_not_count() -> None:
    rule = policy(AlwaysOpen())
    order = sla.with_deadlines(rule, EXAMPLE, EXAMPLE.created)
    started = rules.started(order, details(rule, order.created))
    done = rules.completed(started, details(rule, order.created + 100))
    again = rules.reopened(done, details(rule, order.created + 5100))
    assert order.sla_resolution_deadline is not None
    assert again.sla_resolution_deadline == order.sla_resolution_deadline + 5000
    assert (again.completed_at, again.completed_by) == (None, None)


@pytest.mark.parametrize("status", list(WorkOrderStatus))
def test_only_running_clocks_miss_their_deadline(status: WorkOrderStatus) -> None:
    order = replace(EXAMPLE, status=status, sla_response_deadline=100, sla_resolution_deadline=200)
    late = sla.with_breaches(order, 300)
    assert (late.sla_response_breached_at is not None) == (status == WorkOrderStatus.OPEN)
    assert (late.sla_resolution_breached_at is not None) == (
        status in {WorkOrderStatus.OPEN, WorkOrderStatus.IN_PROGRESS}
    )
    assert sla.with_breaches(late, 400) == late


def test_a_postponed_deadline_can_be_missed_again() -> None:
    rule = policy(AlwaysOpen())
    order = sla.with_deadlines(rule, EXAMPLE, EXAMPLE.created)
    late = sla.with_breaches(order, order.created + 10**7)
    assert late.sla_resolution_breached_at is not None
    moved = sla.with_deadlines(rule, replace(late, sla_paused_seconds=2 * 10**7), order.created + 10**7)
    assert moved.sla_resolution_breached_at is None
    assert moved.sla_response_breached_at is not None


def test_the_end_of_a_day_is_the_start_of_the_next() -> None:
    assert between(NIGHTS, at("2026-03-03 22:00"), at("2026-03-04 06:00")) == 8 * 3600
