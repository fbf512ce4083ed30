from msgspec import UNSET
from msgspec.structs import replace

from steward.assets import events, queries
from steward.assets.connectivity import queries as connectivity_queries
from steward.assets.model import Asset, AssetChanges, NewAsset
from steward.assets.rules import new_asset
from steward.kit.domain.patch import apply, differing
from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.records.context import Context, Target
from steward.kit.records.verbs import deleting

ARCHIVING = Archiving(queries.ASSETS, event=events.UPDATED)
delete = deleting(queries.ASSETS, events.DELETED)


async def create(ctx: Context, new: NewAsset) -> Asset:
    asset = new_asset(new, ctx.tenant, ctx.now)
    async with ctx.transaction() as ctx:
        await records.create(ctx, queries.ASSETS, asset, events.CREATED)
        if new.keep_alive is not None:
            return asset
        return await records.get(ctx.tx, queries.ASSETS, ctx.tenant, asset.id)


async def change(ctx: Target, changes: AssetChanges) -> Asset:
    async with ctx.transaction() as ctx:
        old = await records.lock(ctx, queries.ASSETS)
        new = apply(old, changes)
        if changes.keep_alive is UNSET and changes.asset_type_id is UNSET:
            return await records.write(ctx, queries.ASSETS, old, new, events.UPDATED)
        await records.write(ctx, queries.ASSETS, old, new)
        if isinstance(changes.keep_alive, int):
            # If it equals the type's, nothing changes visibly, and yet it must stay when the type's changes.
            await queries.set_keep_alive(ctx.tx, ctx.tenant, ctx.id, changes.keep_alive)
        await connectivity_queries.schedule_check(ctx.tx, ctx.tenant, ctx.id, ctx.now)
        # The window may become the type's, so only the database knows it.
        asset = await records.get(ctx.tx, queries.ASSETS, ctx.tenant, ctx.id)
        if asset != old:
            await records.publish(ctx, events.UPDATED, asset, old=old)
        return asset


async def replacement(ctx: Context, old: Asset, new: NewAsset) -> AssetChanges:
    """An asset without a keepAlive of its own shows its type's."""
    own = await queries.own_keep_alive(ctx.db, ctx.tenant, old.id)
    return differing(AssetChanges, replace(old, keep_alive=own), new)
