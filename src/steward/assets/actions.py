from msgspec import UNSET

from steward.assets import events as told
from steward.assets import queries
from steward.assets.connectivity import queries as connectivity_queries
from steward.assets.model import Asset, AssetChanges, NewAsset, changed, new_asset
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewAsset) -> Asset:
    asset = new_asset(who.tenant, new, clock.now())
    async with db.transaction() as tx:
        await records.create(tx, queries.ASSETS, who.tenant, asset, events=[told.CREATED])
        if new.keep_alive is not None:
            return asset
        return await records.get(tx, queries.ASSETS, who.tenant, asset.id)


async def change(
    db: Database, who: Caller, asset_id: str, changes: AssetChanges, if_match: str | None
) -> Asset:
    async with db.transaction() as tx:
        asset = await records.change(
            tx,
            queries.ASSETS,
            who.tenant,
            asset_id,
            to=lambda old: changed(old, changes),
            if_match=if_match,
        )
        if changes.keep_alive is UNSET and changes.asset_type_id is UNSET:
            return asset
        if isinstance(changes.keep_alive, int):
            # Where it equals the type's, nothing seems to change, and yet it has to stay when the type's does.
            await queries.set_keep_alive(tx, who.tenant, asset_id, changes.keep_alive)
        await connectivity_queries.look_again(tx, who.tenant, asset_id, clock.now())
        return await records.get(tx, queries.ASSETS, who.tenant, asset_id)


async def delete(db: Database, who: Caller, asset_id: str, if_match: str | None) -> None:
    await records.delete(
        db,
        queries.ASSETS,
        who.tenant,
        asset_id,
        if_match=if_match,
        events=lambda asset, now: [told.deletion(asset, tenant=who.tenant, now=now)],
    )
