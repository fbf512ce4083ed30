from steward.bookings.resources import queries
from steward.bookings.resources.events import CREATED, DELETED, UPDATED
from steward.bookings.resources.model import BookableResource, BookableResourceChanges
from steward.bookings.resources.rules import changed, new_resource
from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.records.context import Target
from steward.kit.records.verbs import creating, deleting

ARCHIVING = Archiving(queries.RESOURCES, event=UPDATED)
create = creating(queries.RESOURCES, new_resource, CREATED)
delete = deleting(queries.RESOURCES, DELETED)


async def change(ctx: Target, changes: BookableResourceChanges) -> BookableResource:
    async with ctx.transaction() as ctx:
        old = await records.lock(ctx, queries.RESOURCES)
        new = changed(old, changes)
        new = await records.write(ctx, queries.RESOURCES, old, new, UPDATED)
        if new.check_in_seconds != old.check_in_seconds:
            await queries.set_check_in_seconds(ctx.tx, ctx.tenant, ctx.id, new.check_in_seconds, ctx.now)
        return new
