from steward.asset_types import queries
from steward.asset_types.events import CREATED, DELETED, UPDATED
from steward.asset_types.rules import changed, new_asset_type, sensor_types
from steward.kit.records import many_records
from steward.kit.records.context import Context
from steward.kit.records.verbs import changing, creating, deleting

create = creating(queries.ASSET_TYPES, new_asset_type, CREATED)
change = changing(queries.ASSET_TYPES, changed, UPDATED)
delete = deleting(queries.ASSET_TYPES, DELETED)


async def install_sensor_types(ctx: Context) -> None:
    """Without events: no other system has a copy of a new organization."""
    await many_records.create(ctx, queries.ASSET_TYPES, list(sensor_types(ctx.now)))
