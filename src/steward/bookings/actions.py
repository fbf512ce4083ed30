"""The verbs. Whoever sets the times of a booking holds the row of its resource first: one after the other, they see
what those before them have taken."""

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings import queries, rules
from steward.bookings.events import CREATED, change_events
from steward.bookings.model import (
    BOOKS,
    Availability,
    Booking,
    BookingChanges,
    BookingStatus,
    Cancellation,
    NewBooking,
    Scope,
)
from steward.bookings.resources.model import BookableResource
from steward.bookings.resources.queries import RESOURCES, lock_resources
from steward.bookings.rules import MOVES
from steward.bookings.series import rules as series
from steward.bookings.slots import Slot
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Invalid, NotFound, Unavailable
from steward.kit.domain.versions import Precondition
from steward.kit.records import many_records, records
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission
from steward.locations import queries as locations
from steward.users import queries as users

NOBODY_NAMED = Cancellation()

# How many bookings a refusal names that are in the way: of one slot, and of each slot where there are many.
_MOST_NAMED, _MOST_NAMED_EACH = 100, 3


class _Held(NamedTuple):
    """What a change holds: the booking that it names, the other dates that it reaches, and their resources."""

    named: Booking
    others: list[Booking]
    resources: dict[str, BookableResource]


async def create(db: Database, who: Caller, new: NewBooking, *, now: int) -> Booking:
    """The booking; where it repeats, the first of its dates. All of them are made, or none."""
    rules.check_booker(new, who)
    series.check_new(new, now)
    async with db.transaction() as tx:
        try:
            resource = await records.lock(tx, RESOURCES, who.tenant, new.resource_id)
        except NotFound:
            raise _no_such_resource() from None
        wanted = series.slots(new, await _zone(tx, who.tenant, resource) if new.recurrence else UTC)
        made = series.new_bookings(new, wanted, resource, who.user, now)
        await _refuse_clashes(tx, who, resource, wanted, [], now)
        if new.recurrence is None:
            return await records.create(tx, queries.BOOKINGS, who.tenant, made[0], events=[CREATED], now=now)
        await many_records.create(tx, queries.BOOKINGS, who.tenant, made, events=[CREATED], now=now)
        return made[0]


async def change(
    db: Database,
    who: Caller,
    booking_id: str,
    changes: BookingChanges,
    *,
    precondition: Precondition,
    now: int,
    scope: Scope = Scope.ONE,
) -> Booking:
    who.refuse_sync_fields(BOOKS, changes)
    async with db.transaction() as tx:
        held = await _hold(tx, who, booking_id, changes, scope, now)
        precondition.require(queries.BOOKINGS.seen_by(held.named, rules.kept_to(who)))
        changed = await _changed(tx, who.tenant, held, changes, scope, now)
        moved = [(old, new) for old, new in changed if rules.takes_other_time(old, new)]
        for resource in held.resources.values():
            wanted = sorted(
                (new.slot for _, new in moved if new.resource_id == resource.id),
                key=lambda slot: slot.start_time,
            )
            rules.check_apart(resource, wanted, "endTime")
            await _refuse_clashes(tx, who, resource, wanted, [old.id for old, _ in moved], now)
        written = [
            await records.write(tx, queries.BOOKINGS, who.tenant, old, new, events=change_events, now=now)
            for old, new in changed
        ]
        return written[0]


async def cancel(
    db: Database,
    who: Caller,
    booking_id: str,
    body: Cancellation = NOBODY_NAMED,
    *,
    precondition: Precondition,
    now: int,
    scope: Scope = Scope.ONE,
) -> Booking:
    """Takes nothing from anybody, so it needs no lock on a resource."""
    by = await users.acting_person(db, who, body.cancelled_by, "cancelledBy")
    async with db.transaction() as tx:
        seen = await records.get(tx, queries.BOOKINGS, who.tenant, booking_id, own=rules.kept_to(who))
        others = series.others(seen, await _dates(tx, who.tenant, seen, scope, now), scope)
        named, *others = await _lock(tx, who.tenant, seen, others)
        precondition.require(queries.BOOKINGS.seen_by(named, rules.kept_to(who)))
        written = []
        for booking in (named, *others):
            new = rules.cancelled(MOVES.apply(booking, "cancel"), by, now)
            written.append(
                await records.write(
                    tx, queries.BOOKINGS, who.tenant, booking, new, events=MOVES.change_events, now=now
                )
            )
        return written[0]


async def check_in(
    db: Database, who: Caller, booking_id: str, *, precondition: Precondition, now: int
) -> Booking:
    async with db.transaction() as tx:
        seen = await records.get(tx, queries.BOOKINGS, who.tenant, booking_id, own=rules.kept_to(who))
        resource = await records.get(tx, RESOURCES, who.tenant, seen.resource_id)
        return await records.move(
            tx,
            queries.BOOKINGS,
            MOVES,
            who.tenant,
            booking_id,
            "check-in",
            then=lambda booking: rules.checked_in(booking, resource, now),
            precondition=precondition,
            own=rules.kept_to(who),
            now=now,
        )


async def end_early(
    db: Database, who: Caller, booking_id: str, *, precondition: Precondition, now: int
) -> Booking:
    """Shortens a booking that has begun to now. Takes nothing from anybody, so it needs no lock on the resource."""
    async with db.transaction() as tx:
        own = rules.kept_to(who)
        old = await records.lock(tx, queries.BOOKINGS, who.tenant, booking_id, precondition, own=own)
        new = rules.ended_early(old, now)
        return await records.write(tx, queries.BOOKINGS, who.tenant, old, new, events=change_events, now=now)


async def availability(
    db: Database, tenant: TenantId, resource_id: str, start: int | None, end: int | None, *, now: int
) -> Availability:
    asked = rules.window(start, end, now)
    resource = await records.get(db, RESOURCES, tenant, resource_id)
    taken = await queries.taken_between(
        db,
        tenant,
        resource_id,
        asked.start_time - resource.buffer_seconds,
        asked.end_time + resource.buffer_seconds,
        most=rules.MAX_LISTED + 1,
    )
    return rules.availability(resource, asked, taken)


def _no_such_resource() -> Invalid:
    return Invalid("resourceId", "names no bookable resource of this organization")


async def _zone(tx: Transaction, tenant: TenantId, resource: BookableResource) -> tzinfo:
    return await locations.timezone(tx, tenant, resource.location_id)


async def _dates(tx: Transaction, tenant: TenantId, named: Booking, scope: Scope, now: int) -> list[Booking]:
    """The dates of its series that are still to come; none where only it is meant."""
    if scope is Scope.ONE or named.series_id is None:
        return []
    return await queries.dates_to_come(tx, tenant, named.series_id, now)


async def _lock(tx: Transaction, tenant: TenantId, named: Booking, others: list[Booking]) -> list[Booking]:
    """The named one first; without those of the others that somebody else has cancelled or begun meanwhile."""
    held = await queries.lock_bookings(tx, tenant, [named.id, *(booking.id for booking in others)])
    first = [booking for booking in held if booking.id == named.id]
    return first + [b for b in held if b.id != named.id and b.status is BookingStatus.CONFIRMED]


async def _hold(
    tx: Transaction, who: Caller, booking_id: str, changes: BookingChanges, scope: Scope, now: int
) -> _Held:
    """Resources come before bookings: which they are is seen without a lock first, and looked at again under it."""
    tenant = who.tenant
    seen = await records.get(tx, queries.BOOKINGS, tenant, booking_id, own=rules.kept_to(who))
    dates = [date for date in await _dates(tx, tenant, seen, scope, now) if date.recurrence is not None]
    others = series.others(seen, dates, scope)
    wanted = {booking.resource_id for booking in (seen, *others)}
    if changes.resource_id is not UNSET:
        wanted.add(changes.resource_id)
    resources = await lock_resources(tx, tenant, sorted(wanted))
    if changes.resource_id is not UNSET and changes.resource_id not in resources:
        raise _no_such_resource()
    named, *others = await _lock(tx, tenant, seen, others)
    if any(booking.resource_id not in resources for booking in (named, *others)):
        raise Unavailable("Somebody else gave this booking another resource at the same moment; try again.")
    return _Held(named, others, resources)


async def _changed(
    tx: Transaction, tenant: TenantId, held: _Held, changes: BookingChanges, scope: Scope, now: int
) -> list[tuple[Booking, Booking]]:
    """What was and what is to be, the named booking first."""

    def resource_of(booking: Booking) -> BookableResource:
        other = changes.resource_id
        return held.resources[booking.resource_id if other is UNSET else other]

    old, resource = held.named, resource_of(held.named)
    new = rules.changed(old, changes, resource, now)
    if scope is Scope.ONE:
        return [(old, series.detached(new, old))]
    zone = await _zone(tx, tenant, resource)
    return [
        (old, new),
        *(
            (other, series.follows(other, (old, new), changes, resource_of(other), zone, now))
            for other in held.others
        ),
    ]


async def _refuse_clashes(
    tx: Transaction,
    who: Caller,
    resource: BookableResource,
    wanted: Sequence[Slot],
    besides: list[str],
    now: int,
) -> None:
    if not wanted:
        return
    most = _MOST_NAMED if len(wanted) == 1 else _MOST_NAMED_EACH
    found = await queries.in_the_way(tx, who.tenant, resource, wanted, besides=besides, most_each=most)
    if not found:
        return
    after = found[0].wanted_start_time - resource.buffer_seconds
    following = await queries.taken_after(
        tx, who.tenant, resource.id, after, besides=besides, most=rules.MAX_SEARCHED
    )
    if Permission.BOOKINGS_READ not in who.permissions:
        found = [replace(conflict, title=None) for conflict in found]
    raise rules.clash(resource, wanted, found, following, now)
