from steward.bookings.resources import queries
from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller


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
