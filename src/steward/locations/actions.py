from msgspec import UNSET

from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.records.context import Context, Target
from steward.kit.records.verbs import creating, deleting
from steward.locations import queries
from steward.locations.events import CREATED, DELETED, UPDATED
from steward.locations.model import Location, LocationChanges
from steward.locations.rules import changed, new_location, refuse_children, refuse_cycle, refuse_hidden

create = creating(queries.LOCATIONS, new_location, CREATED)
delete = deleting(queries.LOCATIONS, DELETED)


async def change(ctx: Target, changes: LocationChanges) -> Location:
    async with ctx.transaction() as ctx:
        if changes.parent_id is not UNSET and changes.parent_id is not None:
            await queries.lock_tree(ctx.tx, ctx.tenant)
            refuse_cycle(ctx.id, await queries.ancestors(ctx.tx, ctx.tenant, changes.parent_id))
        return await records.change(ctx, queries.LOCATIONS, lambda old: changed(old, changes), UPDATED)


async def _refuse_children(ctx: Context, location: Location) -> None:
    refuse_children(await queries.present_children(ctx.db, ctx.tenant, location.id))


async def _refuse_hidden(ctx: Context, location: Location) -> None:
    """It would not be found in the tree."""
    if location.parent_id is not None:
        refuse_hidden(await records.get(ctx.db, queries.LOCATIONS, ctx.tenant, location.parent_id))


ARCHIVING = Archiving(
    queries.LOCATIONS,
    event=UPDATED,
    # Archiving a location and restoring one inside it wait for each other.
    first=lambda ctx: queries.lock_tree(ctx.db, ctx.tenant),
    check_archivable=_refuse_children,
    check_restorable=_refuse_hidden,
)
