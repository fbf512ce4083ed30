from msgspec import UNSET

from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.security.caller import Caller, TenantId
from steward.locations import queries
from steward.locations.events import CREATED, DELETED, UPDATED
from steward.locations.model import Location, LocationChanges, NewLocation
from steward.locations.rules import changed, new_location, refuse_children, refuse_cycle, refuse_hidden


async def create(db: Database, who: Caller, new: NewLocation, *, now: int) -> Location:
    return await records.create(
        db, queries.LOCATIONS, who.tenant, new_location(new, now), events=[CREATED], now=now
    )


async def change(
    db: Database,
    who: Caller,
    location_id: str,
    changes: LocationChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Location:
    async with db.transaction() as tx:
        if changes.parent_id is not UNSET and changes.parent_id is not None:
            await queries.lock_tree(tx, who.tenant)
            refuse_cycle(location_id, await queries.ancestors(tx, who.tenant, changes.parent_id))
        return await records.change(
            tx,
            queries.LOCATIONS,
            who.tenant,
            location_id,
            to=lambda old: changed(old, changes),
            precondition=precondition,
            events=records.always(UPDATED),
            now=now,
        )


async def delete(
    db: Database, who: Caller, location_id: str, *, precondition: Precondition, now: int
) -> None:
    await records.delete(
        db, queries.LOCATIONS, who.tenant, location_id, precondition=precondition, event=DELETED, now=now
    )


async def _refuse_children(tx: Database, tenant: TenantId, location: Location) -> None:
    refuse_children(await queries.present_children(tx, tenant, location.id))


async def _refuse_hidden(tx: Database, tenant: TenantId, location: Location) -> None:
    """Nobody would find it in the tree."""
    if location.parent_id is not None:
        refuse_hidden(await records.get(tx, queries.LOCATIONS, tenant, location.parent_id))


# Who archives a location and who restores what lies in it see each other.
ARCHIVING = Archiving(
    queries.LOCATIONS,
    event=UPDATED,
    first=queries.lock_tree,
    check_archivable=_refuse_children,
    check_restorable=_refuse_hidden,
)
