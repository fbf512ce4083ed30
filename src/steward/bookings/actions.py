"""The verbs. Whoever sets the times of a booking holds the row of its resource first: one after the other, they see
what those before them have taken."""

from steward.bookings import queries, rules
from steward.bookings.events import CREATED, change_events
from steward.bookings.model import Availability, Booking, BookingChanges, NewBooking
from steward.bookings.resources.model import BookableResource
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.rules import MOVES
from steward.kit.db import records
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.problems import Invalid, NotFound
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller, TenantId


async def create(db: Database, who: Caller, new: NewBooking, *, now: int) -> Booking:
    async with db.transaction() as tx:
        try:
            resource = await records.lock(tx, RESOURCES, who.tenant, new.resource_id)
        except NotFound:
            raise Invalid("resourceId", "names no bookable resource of this organization") from None
        booking = rules.new_booking(new, resource, who.user, now)
        await _refuse_clash(tx, who.tenant, resource, booking, now)
        return await records.create(tx, queries.BOOKINGS, who.tenant, booking, events=[CREATED], now=now)


async def change(
    db: Database,
    who: Caller,
    booking_id: str,
    changes: BookingChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Booking:
    async with db.transaction() as tx:
        # A booking never changes its resource, so this look needs no lock: the resource's comes first.
        seen = await records.get(tx, queries.BOOKINGS, who.tenant, booking_id)
        resource = await records.lock(tx, RESOURCES, who.tenant, seen.resource_id)
        old = await records.lock(tx, queries.BOOKINGS, who.tenant, booking_id, precondition)
        new = rules.changed(old, changes, resource, now)
        if new.slot != old.slot:
            await _refuse_clash(tx, who.tenant, resource, new, now)
        return await records.write(tx, queries.BOOKINGS, who.tenant, old, new, events=change_events, now=now)


async def cancel(
    db: Database, who: Caller, booking_id: str, *, precondition: Precondition, now: int
) -> Booking:
    return await records.move(
        db,
        queries.BOOKINGS,
        MOVES,
        who.tenant,
        booking_id,
        "cancel",
        then=lambda booking: rules.cancelled(booking, who.user, now),
        precondition=precondition,
        now=now,
    )


async def check_in(
    db: Database, who: Caller, booking_id: str, *, precondition: Precondition, now: int
) -> Booking:
    async with db.transaction() as tx:
        seen = await records.get(tx, queries.BOOKINGS, who.tenant, booking_id)
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
            now=now,
        )


async def end_early(
    db: Database, who: Caller, booking_id: str, *, precondition: Precondition, now: int
) -> Booking:
    """Shortens a booking that has begun to now. Takes nothing from anybody, so it needs no lock on the resource."""
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.BOOKINGS, who.tenant, booking_id, precondition)
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


async def _refuse_clash(
    tx: Transaction, tenant: TenantId, resource: BookableResource, booking: Booking, now: int
) -> None:
    wanted, after = booking.slot, booking.start_time - resource.buffer_seconds
    nearest = await queries.taken_after(tx, tenant, resource.id, after, besides=booking.id, most=1)
    if nearest and rules.clashes(resource, wanted, nearest[0]):
        following = await queries.taken_after(
            tx, tenant, resource.id, after, besides=booking.id, most=rules.MAX_SEARCHED
        )
        raise rules.clash(resource, wanted, nearest[0], following, now)
