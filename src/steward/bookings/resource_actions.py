from steward.bookings import resource_queries as queries
from steward.bookings.resources import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit import clock, records
from steward.kit.caller import Caller
from steward.kit.db import Database
from steward.kit.ids import new_id
from steward.kit.patch import apply


async def create(db: Database, who: Caller, new: NewBookableResource) -> BookableResource:
    now = clock.now()
    resource = BookableResource(
        id=new_id("rsc"),
        name=new.name,
        type=new.type,
        location_id=new.location_id,
        capacity=new.capacity,
        buffer_minutes=new.buffer_minutes,
        check_in_required=new.check_in_required,
        release_after_minutes=new.release_after_minutes,
        active=new.active,
        created=now,
        updated=now,
    )
    return await records.create(db, queries.RESOURCES, who.tenant, resource)


async def change(
    db: Database, who: Caller, resource_id: str, changes: BookableResourceChanges, if_match: str | None
) -> BookableResource:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.RESOURCES, who.tenant, resource_id, if_match)
        new = await records.write(tx, queries.RESOURCES, who.tenant, old, apply(old, changes))
        if new.patience != old.patience:
            await queries.set_patience(tx, who.tenant, resource_id, new.patience, clock.now())
        return new


async def delete(db: Database, who: Caller, resource_id: str, if_match: str | None) -> None:
    await records.delete(db, queries.RESOURCES, who.tenant, resource_id, if_match=if_match)
