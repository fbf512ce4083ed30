from collections.abc import Iterable

from steward.decks import queries as decks
from steward.decks.screens import queries, rules
from steward.decks.screens.model import MAX_SCREENS, NewScreen, OpenedScreen
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Conflict, Invalid, NotFound
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security import link_token
from steward.kit.security.caller import Caller, TenantId
from steward.kit.security.permissions import Permission


async def create(ctx: Context, new: NewScreen) -> str:
    """The token of the link, which is shown only once: the database keeps its hash."""
    token = link_token.new(ctx.tenant)
    screen = rules.new_screen(new, ctx.parent, ctx.who, ctx.now)
    async with ctx.transaction() as ctx:
        # Locked, so that none of them is deleted meanwhile.
        await records.lock(ctx.on(ctx.parent), decks.DECKS)
        if len(await decks.by_ids(ctx.tx, ctx.tenant, screen.deck_ids)) < len(screen.deck_ids):
            raise Invalid("decks", "one of these decks has been deleted")
        if await queries.count(ctx.tx, ctx.tenant) >= MAX_SCREENS:
            raise Conflict(f"There are {MAX_SCREENS} links for screens already: revoke one that nobody uses.")
        await queries.insert(ctx.tx, ctx.tenant, screen, link_token.digest(token))
    return token


async def revoke(bus: Invalidator, ctx: Target) -> None:
    """Its screens get no more updates, from any process."""
    async with ctx.transaction() as ctx:
        if not await queries.delete(ctx.tx, ctx.tenant, ctx.id):
            raise NotFound("There is no such link, or it has been revoked already.")
        await bus.invalidate(ctx.tx, ctx.tenant, access_only=True)


async def open_link(db: Database, token: str) -> OpenedScreen:
    holder = link_token.digest(token)
    found = await queries.find(db, link_token.owner(token), holder)
    if found is None:
        raise NotFound("There is no such screen: its link has been revoked, or was never whole.")
    tenant, screen = found
    shown = await decks.by_ids(db, tenant, screen.deck_ids)
    caller = Caller(tenant=tenant, plan="", permissions=rules.permissions(screen, shown), key=screen.id)
    return OpenedScreen(screen, shown, caller, holder)


async def permissions_of(
    db: Database, tenant: TenantId, holders: Iterable[bytes]
) -> dict[bytes, frozenset[Permission]]:
    """What the links may show now; revoked ones are left out."""
    found = dict(await queries.of_holders(db, tenant, list(holders)))
    wanted = {id for screen in found.values() for id in screen.deck_ids}
    shown = {deck.id: deck for deck in await decks.by_ids(db, tenant, sorted(wanted))} if wanted else {}
    return {
        holder: rules.permissions(screen, [shown[id] for id in screen.deck_ids if id in shown])
        for holder, screen in found.items()
    }
