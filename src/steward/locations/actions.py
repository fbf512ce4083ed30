from msgspec import UNSET

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller
from steward.locations import queries
from steward.locations.events import CREATED, DELETED, UPDATED
from steward.locations.model import Location, LocationChanges, NewLocation
from steward.locations.rules import changed, new_location, refuse_cycle


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
