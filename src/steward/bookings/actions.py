"""The verbs. A verb that sets the times of a booking locks the row of its resource first, so that requests for one resource
run one after the other and each sees what the ones before it took."""

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from steward.bookings import queries, rules
from steward.bookings.clashes import MAX_SEARCHED, check_apart, clash
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
from steward.bookings.rules import MOVES, BookingMoveDetails
from steward.bookings.series import rules as series
from steward.bookings.slots import Slot
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Invalid, NotFound, Unavailable
from steward.kit.records import many_records, records
from steward.kit.records.context import Context, Target
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.locations import queries as locations
from steward.users import queries as users

# How many conflicting bookings a refusal names: for one slot, and for each slot of several.
_MOST_NAMED, _MOST_NAMED_EACH = 100, 3


class _Held(NamedTuple):
    """What a change locks: the named booking, the other dates that it affects, and their resources."""

    named: Booking
    others: list[Booking]
    resources: dict[str, BookableResource]


async def create(ctx: Context, new: NewBooking) -> Booking:
    """The booking; for a recurring one, the first of its dates. All of them are made, or none."""
    rules.check_booker(new, ctx.who)
    series.check_new(new, ctx.now)
    async with ctx.transaction() as ctx:
        try:
            resource = await records.lock(ctx.on(new.resource_id), RESOURCES)
        except NotFound:
            raise _no_such_resource() from None
        wanted = series.slots(new, await _zone(ctx, resource) if new.recurrence else UTC)
        made = series.new_bookings(new, wanted, resource, ctx.who.user, ctx.now)
        await _refuse_clashes(ctx, resource, wanted, [])
        if new.recurrence is None:
            return await records.create(ctx, queries.BOOKINGS, made[0], CREATED)
        await many_records.create(ctx, queries.BOOKINGS, made, CREATED)
        return made[0]


async def change(ctx: Target, changes: BookingChanges, *, scope: Scope = Scope.ONE) -> Booking:
    ctx.who.refuse_sync_fields(BOOKS, changes)
    async with ctx.transaction() as ctx:
        held = await _hold(ctx, changes, scope)
        ctx.precondition.require(queries.BOOKINGS.visible_to(held.named, rules.own_records_only(ctx.who)))
        changed = await _changed(ctx, held, changes, scope)
        moved = [(old, new) for old, new in changed if rules.takes_other_time(old, new)]
        for resource in held.resources.values():
            wanted = sorted(
                (new.slot for _, new in moved if new.resource_id == resource.id),
                key=lambda slot: slot.start_time,
            )
            check_apart(resource, wanted, "endTime")
            await _refuse_clashes(ctx, resource, wanted, [old.id for old, _ in moved])
        written = [
            await records.write(ctx, queries.BOOKINGS, old, new, change_events) for old, new in changed
        ]
        return written[0]


async def cancel(ctx: Target, body: Cancellation, *, scope: Scope = Scope.ONE) -> Booking:
    """Frees a slot, so it needs no lock on a resource."""
    by = await users.acting_person(ctx, body.cancelled_by, "cancelledBy")
    details = BookingMoveDetails(ctx.now, by)
    async with ctx.transaction() as ctx:
        own = rules.own_records_only(ctx.who)
        seen = await records.get(ctx.tx, queries.BOOKINGS, ctx.tenant, ctx.id, own=own)
        others = series.others(seen, await _dates(ctx, seen, scope), scope)
        named, *others = await _lock(ctx, seen, others)
        ctx.precondition.require(queries.BOOKINGS.visible_to(named, own))
        written = []
        for booking in (named, *others):
            new = MOVES.apply(booking, "cancel", details)
            written.append(await records.write(ctx, queries.BOOKINGS, booking, new, MOVES.change_events))
        return written[0]


async def check_in(ctx: Target) -> Booking:
    async with ctx.transaction() as ctx:
        own = rules.own_records_only(ctx.who)
        seen = await records.get(ctx.tx, queries.BOOKINGS, ctx.tenant, ctx.id, own=own)
        resource = await records.get(ctx.tx, RESOURCES, ctx.tenant, seen.resource_id)
        details = BookingMoveDetails(ctx.now, resource=resource)
        return await records.move(ctx, queries.BOOKINGS, MOVES, "check-in", details, own=own)


async def end_early(ctx: Target) -> Booking:
    """Ends a booking that has begun now. It frees time, so it needs no lock on the resource."""
    own = rules.own_records_only(ctx.who)
    return await records.change(
        ctx, queries.BOOKINGS, lambda old: rules.ended_early(old, ctx.now), change_events, own=own
    )


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


async def _zone(ctx: Context, resource: BookableResource) -> tzinfo:
    return await locations.timezone(ctx.tx, ctx.tenant, resource.location_id)


async def _dates(ctx: Context, named: Booking, scope: Scope) -> list[Booking]:
    """The future dates of its series; none if only the booking itself is meant."""
    if scope is Scope.ONE or named.series_id is None:
        return []
    return await queries.dates_to_come(ctx.tx, ctx.tenant, named.series_id, ctx.now)


async def _lock(ctx: Context, named: Booking, others: list[Booking]) -> list[Booking]:
    """The named one first; the others without those that were cancelled or begun meanwhile."""
    held = await queries.lock_bookings(ctx.tx, ctx.tenant, [named.id, *(booking.id for booking in others)])
    first = [booking for booking in held if booking.id == named.id]
    return first + [b for b in held if b.id != named.id and b.status is BookingStatus.CONFIRMED]


async def _hold(ctx: Target, changes: BookingChanges, scope: Scope) -> _Held:
    """Resources are locked before bookings: they are read without a lock first, and checked again under it."""
    own = rules.own_records_only(ctx.who)
    seen = await records.get(ctx.tx, queries.BOOKINGS, ctx.tenant, ctx.id, own=own)
    dates = [date for date in await _dates(ctx, seen, scope) if date.recurrence is not None]
    others = series.others(seen, dates, scope)
    wanted = {booking.resource_id for booking in (seen, *others)}
    if changes.resource_id is not UNSET:
        wanted.add(changes.resource_id)
    resources = await lock_resources(ctx.tx, ctx.tenant, sorted(wanted))
    if changes.resource_id is not UNSET and changes.resource_id not in resources:
        raise _no_such_resource()
    named, *others = await _lock(ctx, seen, others)
    if any(booking.resource_id not in resources for booking in (named, *others)):
        raise Unavailable("Somebody else gave this booking another resource at the same moment; try again.")
    return _Held(named, others, resources)


async def _changed(
    ctx: Context, held: _Held, changes: BookingChanges, scope: Scope
) -> list[tuple[Booking, Booking]]:
    """Before and after, the named booking first."""

    def resource_of(booking: Booking) -> BookableResource:
        other = changes.resource_id
        return held.resources[booking.resource_id if other is UNSET else other]

    old, resource = held.named, resource_of(held.named)
    new = rules.changed(old, changes, resource, ctx.now)
    if scope is Scope.ONE:
        return [(old, series.detached(new, old))]
    zone = await _zone(ctx, resource)
    return [
        (old, new),
        *(
            (other, series.follows(other, (old, new), changes, resource_of(other), zone, ctx.now))
            for other in held.others
        ),
    ]


async def _refuse_clashes(
    ctx: Context, resource: BookableResource, wanted: Sequence[Slot], besides: list[str]
) -> None:
    if not wanted:
        return
    most = _MOST_NAMED if len(wanted) == 1 else _MOST_NAMED_EACH
    found = await queries.conflicts(ctx.tx, ctx.tenant, resource, wanted, besides=besides, most_each=most)
    if not found:
        return
    after = found[0].wanted_start_time - resource.buffer_seconds
    following = await queries.taken_after(
        ctx.tx, ctx.tenant, resource.id, after, besides=besides, most=MAX_SEARCHED
    )
    if Permission.BOOKINGS_READ not in ctx.who.permissions:
        found = [replace(conflict, title=None) for conflict in found]
    raise clash(resource, wanted, found, following, ctx.now)
