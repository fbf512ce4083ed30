"""What is booked and who comes on a day: the same for the same day, whenever it is asked for. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from steward.bookings.model import Attendee, NewBooking
from steward.bookings.resources.model import BookableResource, NewBookableResource, ResourceType
from steward.demo.fixed_rows import TEXTS, table
from steward.demo.past import MINUTE, chance, day_start, drawn
from steward.kit.domain.shared_fields import made_from
from steward.visitors.model import NewVisitor

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
