"""What is booked and who comes on a day: the same for the same day, whenever it is asked for. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from steward.bookings.model import Attendee, NewBooking
from steward.bookings.resources.model import BookableResource, NewBookableResource, ResourceType
from steward.demo.past import MINUTE, chance, day_start, drawn
from steward.visitors.model import NewVisitor

_ROOM, _DESK, _PARKING, _EQUIPMENT, _VEHICLE = ResourceType

# Name, type, place, how many it holds, minutes between bookings, whether somebody has to check in.
_RESOURCES = (
    ("Meeting room Elbe", _ROOM, "HC-M-103", 8, 10, True),
    ("Meeting room Alster", _ROOM, "HC-M-104", 6, 10, True),
    ("Meeting room Bille", _ROOM, "HC-M-203", 10, 10, True),
    ("Meeting room Trave", _ROOM, "HC-M-204", 4, 0, True),
    ("Board room", _ROOM, "HC-M-301", 16, 15, False),
    ("Auditorium", _ROOM, "HC-V-001", 120, 30, False),
    ("Training room", _ROOM, "HC-V-002", 24, 15, True),
    *((f"Desk {number}", _DESK, "HC-M-303", 1, 0, True) for number in range(1, 9)),
    *((f"Charging place {number}", _PARKING, "HC-P-0", 1, 0, False) for number in range(1, 5)),
    ("Mobile projector", _EQUIPMENT, "HC-M-001", None, 0, False),
    ("Scissor lift", _EQUIPMENT, "HC-L-002", 2, 0, False),
    ("Electric van", _VEHICLE, "HC-P-1", 3, 30, False),
    ("Pool car", _VEHICLE, "HC-P-1", 5, 30, False),
)
# What some of them have.
_FEATURES = {
    "Meeting room Elbe": ["screen", "whiteboard", "video conference"],
    "Meeting room Alster": ["screen", "whiteboard"],
    "Meeting room Bille": ["screen", "video conference", "wheelchair access"],
    "Meeting room Trave": ["whiteboard"],
    "Board room": ["screen", "video conference", "coffee machine"],
    "Auditorium": ["projector", "sound system", "wheelchair access"],
    "Training room": ["projector", "whiteboard"],
    **{f"Desk {number}": ["two screens", "height-adjustable"] for number in (1, 2, 5)},
}
# A meeting that repeats: where, its title, weekday, minutes of the day, how long, and the weeks that it goes on.
ROUND_ROOM, _ROUND_TITLE = "Board room", "Operations round"
_ROUND_WEEKDAY, _ROUND_AT, _ROUND_MINUTES, _ROUND_WEEKS = 1, 9 * 60, 60, 12
_TITLES = (
    "Weekly round",
    "Supplier visit",
    "Project meeting",
    "Interview",
    "Budget 2nd draft",
    "Safety briefing",
    "Retrospective",
    "Customer call",
    "Training",
    "One to one",
)
# How much of a working day is taken, and how long a booking of that type is: the shortest and the longest, in minutes.
_USE = {
    _ROOM: (0.62, 30, 120),
    _DESK: (0.75, 240, 540),
    _PARKING: (0.7, 180, 480),
    _EQUIPMENT: (0.25, 60, 240),
    _VEHICLE: (0.4, 90, 300),
}
_OPENS, _CLOSES = 8 * 60, 18 * 60

_FIRST_NAMES = (
    "Alan",
    "Barbara",
    "Carlos",
    "Dorothy",
    "Edsger",
    "Frances",
    "Grace",
    "Hedy",
    "Ivan",
    "Jean",
    "Kenneth",
    "Lise",
)
_LAST_NAMES = (
    "Kay",
    "Liskov",
    "Silva",
    "Vaughan",
    "Vos",
    "Allen",
    "Hopper",
    "Marr",
    "Sutter",
    "Bartik",
    "Thorn",
    "Berg",
    "Cho",
)
_COMPANIES = (
    "Compilers Ltd",
    "Aufwind Lifts",
    "Nordluft Service",
    "Elbe Consulting",
    "Kontor 7",
    "Brandwacht",
    "City of Hamburg",
)
# Marks the visitors whom the simulator lets come and go.
VISITOR_DOMAIN = "visitors.example.net"


class Visit(NamedTuple):
    """`arrives` is None for who never comes."""

    new: NewVisitor
    arrives: int | None
    leaves: int


def resources() -> Iterator[tuple[str, NewBookableResource]]:
    """With the code of the place."""
    for name, kind, place, capacity, buffer, check_in in _RESOURCES:
        yield (
            place,
            NewBookableResource(
                name=name,
                type=kind,
                capacity=capacity,
                features=_FEATURES.get(name, []),
                buffer_minutes=buffer,
                check_in_required=check_in,
            ),
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
    return random.choice(_TITLES) if kind is _ROOM else None


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
    first, last = random.choice(_FIRST_NAMES), random.choice(_LAST_NAMES)
    new = NewVisitor(
        name=f"{first} {last}",
        email=f"{first}.{last}@{VISITOR_DOMAIN}".lower(),
        company=random.choice(_COMPANIES),
        host_id=random.choice(hosts),
        location_id=random.choice(places),
        expected_arrival=expected,
    )
    arrives = expected + random.randint(-15, 25) * MINUTE if random.random() > 0.08 else None
    return Visit(new, arrives, (arrives or expected) + random.randint(25, 240) * MINUTE)
