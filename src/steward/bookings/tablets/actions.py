"""What people do on a tablet. The link admits them; they act as no user in particular."""

import msgspec

from steward.bookings import actions as bookings
from steward.bookings import queries as bookings_queries
from steward.bookings.model import Booking
from steward.bookings.resources.queries import RESOURCES
from steward.bookings.tablets import queries, rules
from steward.bookings.tablets.model import MAX_TABLETS, BookNow, Door, ForBooking, NewTablet, Tablet
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Conflict, NotFound
from steward.kit.events.actor import act_as_device
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security import link_token
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission

# How many bookings are read: the one before, the current one, and the next.
_LOOKED_AT = 4
_PERMISSIONS = frozenset({Permission.BOOKINGS_READ, Permission.BOOKINGS_WRITE})


class TabletAccess(msgspec.Struct, frozen=True):
    """A valid link, and the caller of its actions."""

    who: Caller
    tablet: Tablet
    # The key under which its uses are counted.
    subject: str


async def create(ctx: Context, new: NewTablet) -> tuple[Tablet, str]:
    """The tablet and the token of its link, of which only the hash is stored."""
    token = link_token.new(ctx.tenant)
    tablet = rules.new_tablet(new, ctx.parent, ctx.now)
    async with ctx.transaction() as ctx:
        await records.lock(ctx.on(ctx.parent), RESOURCES)
        if len(await queries.of_resource(ctx.tx, ctx.tenant, ctx.parent, most=MAX_TABLETS)) >= MAX_TABLETS:
            raise Conflict(f"A resource has at most {MAX_TABLETS} tablet links; revoke one that is not used.")
        await queries.add(ctx.tx, ctx.tenant, tablet, link_token.digest(token))
    return tablet, token


async def revoke(ctx: Target) -> None:
    if not await queries.revoke(ctx.db, ctx.tenant, ctx.parent, ctx.id):
        raise NotFound("There is no such tablet link.")


async def find(db: Database, token: str, *, now: int) -> TabletAccess:
    digest = link_token.digest(token)
    found = await queries.find(db, link_token.owner(token), digest)
    if found is None:
        raise NotFound("This link is not valid, or no longer. Ask for a new one.")
    tenant, tablet = found
    if rules.use_is_due(tablet, now):
        await queries.write_use(db, tenant, tablet.id, now)
    act_as_device(tablet.id)
    who = Caller(tenant=tenant, plan="", permissions=_PERMISSIONS)
    return TabletAccess(who, tablet, digest.hex())


async def show_door(db: Database, access: TabletAccess, *, now: int) -> Door:
    tenant, resource_id = access.who.tenant, access.tablet.resource_id
    resource = await records.get(db, RESOURCES, tenant, resource_id)
    holding = await bookings_queries.holding_after(
        db, tenant, resource_id, now - resource.buffer_seconds - 1, most=_LOOKED_AT
    )
    return rules.door(resource, holding, now)


async def book_now(db: Database, access: TabletAccess, body: BookNow, *, now: int) -> Booking:
    """Books and checks in at once, since a person at the door is present."""
    async with Context(db, access.who, now * 1000).transaction() as ctx:
        shown = await show_door(ctx.tx, access, now=now)
        made = await bookings.create(ctx, rules.booking_now(body, shown, now))
        return await bookings.check_in(ctx.on(made.id))


async def check_in(db: Database, access: TabletAccess, body: ForBooking, *, now: int) -> Booking:
    return await bookings.check_in(await _own(db, access, body, now))


async def end_early(db: Database, access: TabletAccess, body: ForBooking, *, now: int) -> Booking:
    return await bookings.end_early(await _own(db, access, body, now))


async def _own(db: Database, access: TabletAccess, body: ForBooking, now: int) -> Target:
    """A link reaches the bookings of its own resource only."""
    booking = await records.get(db, bookings_queries.BOOKINGS, access.who.tenant, body.booking_id)
    if booking.resource_id != access.tablet.resource_id:
        raise NotFound("There is no such booking.")
    return Context(db, access.who, now * 1000).on(booking.id)
