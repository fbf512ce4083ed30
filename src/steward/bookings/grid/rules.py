"""Pure: days of a calendar as windows of time, and refusals in words."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta, tzinfo

from steward.bookings.clashes import Clash
from steward.bookings.grid.model import (
    MAX_BOOKINGS,
    MAX_RESOURCES,
    MAX_WINDOW_SECONDS,
    Grid,
    GridBooking,
    GridQuery,
    GridResource,
)
from steward.bookings.model import Booking, BookingStatus
from steward.bookings.resources.model import BookableResource
from steward.bookings.rules import CheckInClosed, may_change
from steward.bookings.slots import Slot
from steward.kit.domain.days import date_of, day_named, end_of, midnight
from steward.kit.domain.problems import Invalid
from steward.kit.domain.ranges import check_range
from steward.kit.security.caller import Caller

UNTITLED = "Booked"
# Of the dates of a series that are taken.
MAX_NAMED = 10


def day_asked(text: str | None, zone: tzinfo, now: int) -> date:
    """Today by default."""
    if text is None:
        return date_of(now, zone)
    asked = day_named("date", text)
    if not 1971 <= asked.year <= 9000:
        raise Invalid("date", "is too far away")
    return asked


def monday(day: date) -> date:
    """The first day of its week."""
    return day - timedelta(days=day.weekday())


def day_slot(day: date, zone: tzinfo) -> Slot:
    """From midnight to midnight, which is 23 or 25 hours on days of a clock change."""
    return Slot(midnight(day, zone), end_of(day, zone))


def grid_window(query: GridQuery) -> Slot:
    check_range(query.from_, query.to, longest=MAX_WINDOW_SECONDS)
    return Slot(query.from_, query.to)


def grid(
    resources: Sequence[BookableResource],
    bookings: Sequence[Booking],
    people: Mapping[str, str],
    who: Caller,
) -> Grid:
    """`resources` and `bookings` hold one more than is shown, if there are more."""
    return Grid(
        [GridResource(r.id, r.name, resource_detail(r)) for r in resources[:MAX_RESOURCES]],
        [
            GridBooking(
                id=b.id,
                resource_id=b.resource_id,
                title=b.title or UNTITLED,
                who=people.get(b.booked_by or ""),
                start_time=b.start_time,
                end_time=b.end_time,
                status=b.status,
                movable=b.status == BookingStatus.CONFIRMED and may_change(b, who),
            )
            for b in bookings[:MAX_BOOKINGS]
        ],
        len(resources) > MAX_RESOURCES or len(bookings) > MAX_BOOKINGS,
    )


def resource_detail(resource: BookableResource) -> str:
    return f"{resource.type}, {resource.capacity}" if resource.capacity else str(resource.type)


def span(slot: Slot, zone: tzinfo) -> str:
    """`Mon 16 Nov, 10:00 to 11:00`"""
    start = datetime.fromtimestamp(slot.start_time, zone)
    end = datetime.fromtimestamp(slot.end_time, zone)
    if start.date() == end.date():
        return f"{start:%a %-d %b, %H:%M} to {end:%H:%M}"
    return f"{start:%a %-d %b, %H:%M} to {end:%a %-d %b, %H:%M}"


def clash_in_words(clash: Clash, zone: tzinfo) -> str:
    resource, other = clash.resource, clash.conflicts[0]
    if clash.dates > 1:
        return _dates_in_words(clash, zone)
    buffer = (
        f" {resource.buffer_minutes} minutes must lie between bookings." if resource.buffer_minutes else ""
    )
    offer = (
        f" The next free time of this length is {span(clash.offer, zone)}."
        if clash.offer
        else " There is no free time of this length soon."
    )
    taken = span(Slot(other.start_time, other.end_time), zone)
    return f"{resource.name} is taken by “{other.title or UNTITLED}”, {taken}.{buffer}{offer}"


def _dates_in_words(clash: Clash, zone: tzinfo) -> str:
    taken = clash.taken_dates
    shown = ", ".join(f"{datetime.fromtimestamp(start, zone):%a %-d %b %Y}" for start in taken[:MAX_NAMED])
    more = f" and {len(taken) - MAX_NAMED} more" if len(taken) > MAX_NAMED else ""
    return (
        f"{clash.resource.name} is taken on {len(taken)} of the {clash.dates} dates: {shown}{more}. Nothing was booked: "
        "leave these dates out, or choose another time."
    )


def closed_in_words(closed: CheckInClosed, zone: tzinfo, now: int) -> str:
    if now < closed.opens:
        return f"It is too early to check in: that is possible from {_moment(closed.opens, zone)} on."
    return f"It is too late to check in: this booking ended {_moment(closed.closes, zone)}."


def _moment(seconds: int, zone: tzinfo) -> str:
    return f"{datetime.fromtimestamp(seconds, zone):%a %-d %b, %H:%M}"
