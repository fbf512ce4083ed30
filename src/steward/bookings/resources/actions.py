from steward.bookings.resources import queries
from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewBookableResource, *, now: int) -> BookableResource:
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
    return await records.create(db, queries.RESOURCES, who.tenant, resource, now=now)


async def change(
    db: Database,
    who: Caller,
    resource_id: str,
    changes: BookableResourceChanges,
    *,
    precondition: Precondition,
    now: int,
) -> BookableResource:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.RESOURCES, who.tenant, resource_id, precondition)
        new = await records.write(tx, queries.RESOURCES, who.tenant, old, apply(old, changes), now=now)
        if new.patience != old.patience:
            await queries.set_patience(tx, who.tenant, resource_id, new.patience, now)
        return new


async def delete(
    db: Database, who: Caller, resource_id: str, *, precondition: Precondition, now: int
) -> None:
    await records.delete(db, queries.RESOURCES, who.tenant, resource_id, precondition=precondition, now=now)
