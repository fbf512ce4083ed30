from steward.bookings.resources import queries
from steward.bookings.resources.events import CREATED, DELETED, UPDATED
from steward.bookings.resources.model import BookableResource, BookableResourceChanges, NewBookableResource
from steward.bookings.resources.rules import changed, new_resource
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.security.caller import Caller

ARCHIVING = Archiving(queries.RESOURCES, event=UPDATED)


async def create(db: Database, who: Caller, new: NewBookableResource, *, now: int) -> BookableResource:
    resource = new_resource(new, now)
    return await records.create(db, queries.RESOURCES, who.tenant, resource, events=(CREATED,), now=now)


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
        told = records.always(UPDATED)
        new = changed(old, changes)
        new = await records.write(tx, queries.RESOURCES, who.tenant, old, new, events=told, now=now)
        if new.check_in_seconds != old.check_in_seconds:
            await queries.set_check_in_seconds(tx, who.tenant, resource_id, new.check_in_seconds, now)
        return new


async def delete(
    db: Database, who: Caller, resource_id: str, *, precondition: Precondition, now: int
) -> None:
    await records.delete(
        db, queries.RESOURCES, who.tenant, resource_id, precondition=precondition, event=DELETED, now=now
    )
