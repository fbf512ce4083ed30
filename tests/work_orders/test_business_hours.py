"""Working time by arithmetic, held against walking the calendar: whatever the hours, holidays and changes of clocks."""

from datetime import date, timedelta
from typing import Any
from zoneinfo import available_timezones

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.work_orders.reference_hours import after_days, after_minutes, between_days, minutes_between

from steward.work_orders.sla.business_hours import (
    HORIZON_SECONDS,
    WEEKDAYS,
    OpeningHours,
    WeeklyHours,
    after,
    between,
)

YEAR = 366 * 86_400
NOW = 1_767_225_600  # 1 January 2026
# Clocks change by an hour at two, by an hour at midnight, by half an hour, around Ramadan, or never.
ZONES = [
    "Europe/Berlin",
    "Africa/Cairo",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/Santiago",
    "Asia/Kolkata",
]
# A few days around changes of clocks in each of them, in 2026.
CHANGES = [
    1_774_746_000,
    1_777_067_200,
    1_775_322_000,
    1_774_144_800,
    1_775_358_000,
    1_792_890_000,
    1_793_000_000,
]


def clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@st.composite
def days(draw: st.DrawFn, first: int = 0, last: int = 1440) -> tuple[OpeningHours, ...]:
    """Up to three stretches that don't overlap, on the minute; they may touch."""
    ends = sorted(draw(st.sets(st.integers(first, last), max_size=6)))
    return tuple(OpeningHours(clock(a), clock(b)) for a, b in zip(ends[::2], ends[1::2], strict=False))


@st.composite
def calendars(draw: st.DrawFn, first: int = 0, last: int = 1440) -> WeeklyHours:
    week = {day: draw(days(first, last)) for day in WEEKDAYS}
    near = date(2026, 1, 1) + timedelta(days=draw(st.integers(0, 300)))
    holidays = draw(st.lists(st.integers(0, 120).map(lambda n: near + timedelta(days=n)), max_size=12))
    return WeeklyHours(draw(st.sampled_from(ZONES)), **week, holidays=tuple(holidays))


around_changes = st.builds(
    lambda change, minutes: change - change % 60 + minutes * 60,
    st.sampled_from(CHANGES),
    st.integers(-3000, 3000),
)


@settings(max_examples=60, deadline=None)
@given(calendars(), around_changes, st.integers(0, 3000))
def test_between_counts_the_minutes_in_which_the_clock_on_the_wall_shows_working_hours(
    calendar: WeeklyHours, start: int, minutes: int
) -> None:
    end = start + minutes * 60
    assert between(calendar, start, end) == 60 * minutes_between(calendar, start, end)


@settings(max_examples=60, deadline=None)
@given(calendars(), around_changes, st.integers(1, 1200))
def test_after_is_where_the_minutes_have_been_counted(
    calendar: WeeklyHours, start: int, minutes: int
) -> None:
    found = after(calendar, start, minutes * 60)
    if found is None:
        assert between(calendar, start, start + HORIZON_SECONDS) < minutes * 60
    elif found - start < 14 * 86_400:
        assert found == after_minutes(calendar, start, minutes)
    else:
        assert between(calendar, start, found) == minutes * 60
        assert between(calendar, start, found - 1) == minutes * 60 - 1


@settings(max_examples=60, deadline=None)
@given(
    calendars(first=4 * 60, last=23 * 60),
    st.integers(NOW, NOW + YEAR),
    st.integers(1, 8 * YEAR),
    st.integers(0, 4 * YEAR),
)
def test_far_deadlines_are_those_that_walking_day_by_day_finds(
    calendar: WeeklyHours, start: int, seconds: int, span: int
) -> None:
    """Hours lie between those in which clocks change, late at night or early, where the walk is right."""
    assert between(calendar, start, start + span) == between_days(calendar, start, start + span)
    found = after(calendar, start, seconds)
    if found is not None and found < start + 12 * YEAR:
        assert found == after_days(calendar, start, seconds)


def test_clock_changes_are_found_in_every_zone() -> None:
    """Always open but by the wall's clock: working time and time are the same, whatever the clocks do."""
    whole: dict[str, Any] = {day: (OpeningHours("00:00", "24:00"),) for day in WEEKDAYS}
    for zone in sorted(available_timezones()):
        calendar = WeeklyHours(zone, **whole)
        for start in (NOW, NOW + 3 * YEAR + 4321):
            assert between(calendar, start, start + 3 * YEAR) == 3 * YEAR, zone
            assert after(calendar, start, YEAR) == start + YEAR, zone


def test_holidays_on_every_monday_put_a_monday_off() -> None:
    mondays = tuple(date(2026, 1, 5) + timedelta(weeks=n) for n in range(500))
    calendar = WeeklyHours("UTC", monday=(OpeningHours("08:00", "09:00"),), holidays=mondays)
    assert after(calendar, NOW, 3600) == after(
        WeeklyHours("UTC", monday=(OpeningHours("08:00", "09:00"),)), NOW, 501 * 3600
    )


def test_deadlines_beyond_the_horizon_are_none() -> None:
    assert after(WeeklyHours("Europe/Berlin"), NOW, 60) is None
    one_minute = WeeklyHours("Europe/Berlin", monday=(OpeningHours("08:00", "08:01"),))
    assert after(one_minute, NOW, 525_600 * 60) is None
    assert after(one_minute, NOW, 60 * 52 * 20) is not None
