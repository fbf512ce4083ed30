from steward.asset_types import queries
from steward.asset_types.events import CREATED, DELETED, UPDATED
from steward.asset_types.model import AssetType, AssetTypeChanges, NewAssetType
from steward.asset_types.rules import changed, new_asset_type, sensor_types
from steward.kit.records import many_records, records
from steward.kit.records.context import Context, Target


async def create(ctx: Context, new: NewAssetType) -> AssetType:
    made = new_asset_type(new, ctx.now)
    return await records.create(ctx, queries.ASSET_TYPES, made, CREATED)


async def change(ctx: Target, changes: AssetTypeChanges) -> AssetType:
    return await records.change(ctx, queries.ASSET_TYPES, lambda old: changed(old, changes), UPDATED)


async def delete(ctx: Target) -> None:
    await records.delete(ctx, queries.ASSET_TYPES, DELETED)


async def install_sensor_types(ctx: Context) -> None:
    """Without events: no other system has a copy of a new organization."""
    await many_records.create(ctx, queries.ASSET_TYPES, list(sensor_types(ctx.now)))
