from msgspec import UNSET

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller
from steward.locations import queries
from steward.locations.model import Location, LocationChanges, NewLocation, check, refuse_cycle


async def create(db: Database, who: Caller, new: NewLocation, *, now: int) -> Location:
    location = Location(
        id=new_id("loc"),
        name=new.name,
        description=new.description,
        parent_id=new.parent_id,
        type=new.type,
        code=new.code,
        address=new.address,
        timezone=new.timezone,
        latitude=new.latitude,
        longitude=new.longitude,
        created=now,
        updated=now,
    )
    return await records.create(db, queries.LOCATIONS, who.tenant, check(location), now=now)


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
            to=lambda old: check(apply(old, changes)),
            precondition=precondition,
            now=now,
        )


async def delete(
    db: Database, who: Caller, location_id: str, *, precondition: Precondition, now: int
) -> None:
    await records.delete(db, queries.LOCATIONS, who.tenant, location_id, precondition=precondition, now=now)
