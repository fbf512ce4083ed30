"""What is booked and who comes on a day, the same whenever it is asked for; and the rows that came of it up to the present. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from steward.bookings.model import Attendee, Booking, NewBooking
from steward.bookings.resources.model import BookableResource, NewBookableResource, ResourceType
from steward.bookings.rules import MOVES, BookingMoveDetails, new_booking
from steward.demo.fixed_rows import TEXTS, table
from steward.demo.past import DAY, HOUR, MINUTE, IdAt, chance, dated, day_start, drawn, local_date, moved
from steward.kit.domain.shared_fields import made_from
from steward.kit.records.moves import MoveDetails
from steward.visitors import rules as visitors
from steward.visitors.model import NewVisitor, Visitor

_ROOM, _DESK, _PARKING, _EQUIPMENT, _VEHICLE = ResourceType

# A meeting that repeats: where, its title, weekday, minutes of the day, how long, and the weeks that it goes on.
ROUND_ROOM, _ROUND_TITLE = "Board room", "Operations round"
_ROUND_WEEKDAY, _ROUND_AT, _ROUND_MINUTES, _ROUND_WEEKS = 1, 9 * 60, 60, 12
# How much of a working day is taken, and how long a booking of that type is: the shortest and the longest, in minutes.
_USE = {
    _ROOM: (0.62, 30, 120),
    _DESK: (0.75, 240, 540),
    _PARKING: (0.7, 180, 480),
    _EQUIPMENT: (0.25, 60, 240),
    _VEHICLE: (0.4, 90, 300),
}
_OPENS, _CLOSES = 8 * 60, 18 * 60

_BOOKED_DAYS_BACK, BOOKED_DAYS_AHEAD = 56, 7
# Within the time for which visitors are kept.
_VISITED_DAYS_BACK = 85

# Marks the visitors whom the simulator lets come and go.
VISITOR_DOMAIN = "visitors.example.net"


class Visit(NamedTuple):
    """`arrives` is None for who never comes."""

    new: NewVisitor
    arrives: int | None
    leaves: int


class _Resource(msgspec.Struct, frozen=True):
    """`; ` separates its features."""

    name: str
    type: ResourceType
    place: str
    capacity: int | None = None
    buffer_minutes: int = 0
    check_in: bool = False
    features: str = ""


def resources() -> Iterator[tuple[str, NewBookableResource]]:
    """With the code of the place."""
    for row in table("resources", _Resource):
        features = row.features.split("; ") if row.features else []
        yield (
            row.place,
            made_from(NewBookableResource, row, features=features, check_in_required=row.check_in),
        )


def bookings_on(
    day: dt.date, resources: Sequence[BookableResource], people: Sequence[str]
) -> Iterator[NewBooking]:
    """One after the other on each resource, with its buffer between them; at weekends on hardly more than one of them."""
    midnight = day_start(day)
    for index, resource in enumerate(sorted(resources, key=lambda resource: resource.name)):
        random = drawn("bookings", day.isoformat(), resource.name)
        use, shortest, longest = _USE[resource.type]
        if day.weekday() >= 5:
            use = use * 0.12 if index else 1.0
        at = _OPENS + 15 * random.randrange(0, 6)
        if resource.name == ROUND_ROOM and day.weekday() == _ROUND_WEEKDAY:
            at = _ROUND_AT + _ROUND_MINUTES + 30
        while at < _CLOSES:
            minutes = 15 * random.randint(shortest // 15, longest // 15)
            if random.random() < use and at + minutes <= _CLOSES + 60:
                yield NewBooking(
                    resource_id=resource.id,
                    start_time=midnight + at * MINUTE,
                    end_time=midnight + (at + minutes) * MINUTE,
                    title=_title(resource.type, random),
                    booked_by=random.choice(people),
                )
            at += minutes + -(-resource.buffer_minutes // 15) * 15


def operations_round(
    resources: Sequence[BookableResource], people: Sequence[Attendee], booked_by: str, today: dt.date
) -> NewBooking:
    """Every week from the next one on, in a room whose other bookings leave it its time."""
    room = next(resource for resource in resources if resource.name == ROUND_ROOM)
    first = today + dt.timedelta(days=(_ROUND_WEEKDAY - today.weekday() - 1) % 7 + 1)
    start = day_start(first) + _ROUND_AT * MINUTE
    return NewBooking(
        resource_id=room.id,
        start_time=start,
        end_time=start + _ROUND_MINUTES * MINUTE,
        title=_ROUND_TITLE,
        booked_by=booked_by,
        attendees=list(people),
        recurrence=f"FREQ=WEEKLY;COUNT={_ROUND_WEEKS}",
    )


def _title(kind: ResourceType, random: Random) -> str | None:
    return random.choice(TEXTS.meetings) if kind is _ROOM else None


def shows_up(resource_name: str, start: int) -> int | None:
    """When somebody checks in; None where nobody ever does."""
    luck = chance(*map(ord, resource_name), start // 60)
    return None if luck < 0.11 else start + int(luck * 600) - 120


def visits_on(day: dt.date, hosts: Sequence[str], places: Sequence[str]) -> Iterator[Visit]:
    random = drawn("visits", day.isoformat())
    count = random.randint(6, 13) if day.weekday() < 5 else 2
    for _ in range(count):
        expected = day_start(day) + 15 * MINUTE * random.randint(32, 66)
        yield visit(random, expected, hosts, places)


def visit(random: Random, expected: int, hosts: Sequence[str], places: Sequence[str]) -> Visit:
    first, last = random.choice(TEXTS.first_names), random.choice(TEXTS.last_names)
    new = NewVisitor(
        name=f"{first} {last}",
        email=f"{first}.{last}@{VISITOR_DOMAIN}".lower(),
        company=random.choice(TEXTS.companies),
        host_id=random.choice(hosts),
        location_id=random.choice(places),
        expected_arrival=expected,
    )
    arrives = expected + random.randint(-15, 25) * MINUTE if random.random() > 0.08 else None
    return Visit(new, arrives, (arrives or expected) + random.randint(25, 240) * MINUTE)


def booking_history(
    resources: Sequence[BookableResource], people: Sequence[str], id_at: IdAt, now: int
) -> list[Booking]:
    by_id = {resource.id: resource for resource in resources}
    today = local_date(now)
    made = [
        _booking(new, by_id[new.resource_id], id_at, now)
        for offset in range(-_BOOKED_DAYS_BACK, BOOKED_DAYS_AHEAD + 1)
        for new in bookings_on(today + dt.timedelta(days=offset), resources, people)
    ]
    return sorted(made, key=lambda booking: booking.id)


def _booking(new: NewBooking, resource: BookableResource, id_at: IdAt, now: int) -> Booking:
    random = drawn("booking", resource.name, new.start_time)
    created = min(now, new.start_time - random.randint(2, 9 * 24) * HOUR)
    made = new_booking(new, resource, None, created)
    booking = dated(made, "bkg", id_at, created)
    cancelled = created + int((new.start_time - created) * random.random())
    arrives = shows_up(resource.name, new.start_time)
    if random.random() < 0.06 and cancelled <= now:
        return moved(MOVES, booking, "cancel", BookingMoveDetails(cancelled, new.booked_by))
    if booking.release_at is None:
        return booking
    if arrives is None and booking.release_at <= now:
        return moved(MOVES, booking, "release", BookingMoveDetails(booking.release_at))
    if arrives is not None and arrives <= now:
        return moved(MOVES, booking, "check-in", BookingMoveDetails(arrives, resource=resource))
    return booking


def visitor_history(hosts: Sequence[str], places: Sequence[str], id_at: IdAt, now: int) -> list[Visitor]:
    today = local_date(now)
    visits = [
        one
        for offset in range(-_VISITED_DAYS_BACK, BOOKED_DAYS_AHEAD + 1)
        for one in visits_on(today + dt.timedelta(days=offset), hosts, places)
    ]
    visits += _at_the_desk(hosts, places, now)
    made = [_visitor(one, id_at, now) for one in visits]
    return sorted(made, key=lambda visitor: visitor.id)


def _at_the_desk(hosts: Sequence[str], places: Sequence[str], now: int) -> Iterator[Visit]:
    """Whenever the demo is seeded, somebody is in the house, somebody has just left and somebody is expected."""
    random = drawn("desk")
    midnight = day_start(local_date(now))
    for minutes in (100, 60, 25):
        one = visit(random, max(midnight, now - minutes * MINUTE), hosts, places)
        yield one._replace(
            arrives=max(midnight, now - minutes * MINUTE), leaves=now + random.randint(20, 90) * MINUTE
        )
    for minutes in (190, 150):
        arrives = max(midnight, now - minutes * MINUTE)
        yield visit(random, arrives, hosts, places)._replace(
            arrives=arrives, leaves=max(arrives, now - 20 * MINUTE)
        )
    for minutes in (30, 75, 120):
        yield visit(random, min(midnight + DAY - HOUR // 2, now + minutes * MINUTE), hosts, places)


def _visitor(one: Visit, id_at: IdAt, now: int) -> Visitor:
    expected = one.new.expected_arrival or now
    random = drawn("visitor", expected, one.new.name)
    created = min(now, expected - random.randint(1, 5 * 24) * HOUR)
    visitor = dated(visitors.new_visitor(one.new, None, created), "vis", id_at, created)
    if one.arrives is None:
        # At the end of the day.
        moves = [("cancel", expected + 8 * HOUR)]
    else:
        moves = [("check-in", one.arrives), ("check-out", one.leaves)]
    for verb, at in moves:
        if at <= now:
            visitor = visitors.MOVES.apply(visitor, verb, MoveDetails(at))
    return visitor
