"""Bookings and visits up to the present, as the rows that they are now. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence

from steward.bookings.model import Booking, NewBooking
from steward.bookings.resources.model import BookableResource
from steward.bookings.rules import MOVES, BookingMoveDetails, new_booking
from steward.demo.agenda import Visit, bookings_on, shows_up, visit, visits_on
from steward.demo.past import DAY, HOUR, MINUTE, IdAt, dated, day_start, drawn, local_date, moved
from steward.kit.records.moves import MoveDetails
from steward.visitors import rules as visitors
from steward.visitors.model import Visitor

BOOKED_DAYS_BACK, BOOKED_DAYS_AHEAD = 56, 7
# Within the time for which visitors are kept.
VISITED_DAYS_BACK = 85


def booking_history(
    resources: Sequence[BookableResource], people: Sequence[str], id_at: IdAt, now: int
) -> list[Booking]:
    by_id = {resource.id: resource for resource in resources}
    today = local_date(now)
    made = [
        _booking(new, by_id[new.resource_id], id_at, now)
        for offset in range(-BOOKED_DAYS_BACK, BOOKED_DAYS_AHEAD + 1)
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
        for offset in range(-VISITED_DAYS_BACK, BOOKED_DAYS_AHEAD + 1)
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
        moves = (("cancel", expected + 8 * HOUR),)
    else:
        moves = (("check-in", one.arrives), ("check-out", one.leaves))
    for verb, at in moves:
        if at <= now:
            visitor = visitors.MOVES.apply(visitor, verb, MoveDetails(at))
    return visitor
