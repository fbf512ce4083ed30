"""The slots of a recurring booking, and the effect of changing one of its dates on the others. Pure."""

import datetime as dt
from collections.abc import Sequence

from msgspec.structs import replace

from steward.bookings import rules
from steward.bookings.clashes import check_apart
from steward.bookings.model import Booking, BookingChanges, NewBooking, Scope
from steward.bookings.resources.model import BookableResource
from steward.bookings.slots import Slot
from steward.kit.domain.days import local_time, moment_of
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Invalid, all_faults
from steward.kit.domain.recurrence.dates import MAX_DAYS, first_dates
from steward.kit.domain.recurrence.rule import MAX_DATES, RecurrenceError, Rule, parse

FIELD = "recurrence"
# The first second of the year 9000: calendars end in 9999.
_LATEST = 221_845_392_000


def check_new(new: NewBooking, now: int) -> None:
    """422 for every fault that can be found before its resource is known."""
    with all_faults() as faults:
        faults.check(rules.check_new, new, now)
        if new.recurrence is not None:
            faults.check(_check_reachable, new.start_time)
            faults.check(_rule, new.recurrence)
            faults.check(_exceptions, new.exceptions)
        elif new.exceptions:
            faults.add("exceptions", "are for a booking with a recurrence")


def slots(new: NewBooking, zone: dt.tzinfo) -> list[Slot]:
    """One for each date of a checked booking, at the same wall-clock time, and as long as the first."""
    if new.recurrence is None:
        return [Slot(new.start_time, new.end_time)]
    start = local_time(new.start_time, zone)
    length = new.end_time - new.start_time
    left_out = _exceptions(new.exceptions)
    moments = [
        moment_of(dt.datetime.combine(day, start.time()), zone)
        for day in _days(_rule(new.recurrence), start, zone)
        if day not in left_out
    ]
    if not moments:
        raise Invalid("exceptions", "leave no date")
    return [Slot(moment, moment + length) for moment in moments]


def new_bookings(
    new: NewBooking, taken: Sequence[Slot], resource: BookableResource, by: str | None, now: int
) -> list[Booking]:
    """A booking for each slot, in order of time."""
    made = [
        rules.new_booking(replace(new, start_time=slot.start_time, end_time=slot.end_time), resource, by, now)
        for slot in taken
    ]
    if new.recurrence is None:
        return made
    check_apart(resource, taken, FIELD)
    series_id, rule = new_id("srs"), new.recurrence.strip()
    return [replace(booking, series_id=series_id, recurrence=rule) for booking in made]


def others(named: Booking, dates: Sequence[Booking], scope: Scope) -> list[Booking]:
    """The other dates of the series within a scope."""
    return [
        booking
        for booking in dates
        if booking.id != named.id and (scope is Scope.ALL or booking.start_time >= named.start_time)
    ]


def follows(
    booking: Booking,
    named: tuple[Booking, Booking],
    changes: BookingChanges,
    resource: BookableResource,
    zone: dt.tzinfo,
    now: int,
) -> Booking:
    """Applies a change of one date (before, after) to another, in wall-clock time."""
    before, after = named
    start = booking.start_time
    if after.start_time != before.start_time:
        _check_reachable(after.start_time)
        shift = local_time(after.start_time, zone) - local_time(before.start_time, zone)
        start = moment_of(local_time(start, zone) + shift, zone)
    longer = _length(after) - _length(before)
    times = {"start_time": start, "end_time": start + _length(booking) + longer}
    return rules.changed(booking, replace(changes, **times), resource, now)


def detached(booking: Booking, old: Booking) -> Booking:
    """A date that was changed by itself is an exception of its series."""
    return booking if booking == old else replace(booking, recurrence=None)


def _check_reachable(start: int) -> None:
    if start >= _LATEST:
        raise Invalid("startTime", "is too far away")


def _length(booking: Booking) -> int:
    return booking.end_time - booking.start_time


def _rule(text: str) -> Rule:
    try:
        rule = parse(text)
    except RecurrenceError as error:
        raise Invalid(FIELD, str(error)) from None
    if rule.count is None and rule.until is None:
        raise Invalid(FIELD, "needs an end: either COUNT or UNTIL")
    return rule


def _days(rule: Rule, start: dt.datetime, zone: dt.tzinfo) -> list[dt.date]:
    first = start.date()
    days = first_dates(rule, first, most=MAX_DATES + 1)
    if not days:
        raise Invalid(FIELD, "names no day within ten years")
    if days[0] != first:
        raise Invalid("startTime", f"must be the first date of the recurrence, which would be {days[0]}")
    if rule.until is not None:
        if rule.until.day > first + dt.timedelta(days=MAX_DAYS):
            raise Invalid(FIELD, "reaches further than ten years")
        times = [dt.datetime.combine(day, start.time()) for day in days]
        days = [local.date() for local in times if not rule.until.is_before(local, zone)]
    elif len(days) < (rule.count or 0):
        raise Invalid(FIELD, "reaches further than ten years")
    else:
        days = days[: rule.count]
    if len(days) > MAX_DATES:
        raise Invalid(FIELD, f"has more than {MAX_DATES} dates")
    if not days:
        raise Invalid(FIELD, "ends before it begins")
    return days


def _exceptions(given: Sequence[str]) -> set[dt.date]:
    found = set()
    with all_faults() as faults:
        for index, text in enumerate(given):
            try:
                found.add(dt.date.fromisoformat(text))
            except ValueError:
                faults.add(f"exceptions[{index}]", "must be a date, such as 2026-12-24")
    return found
