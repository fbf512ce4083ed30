from msgspec import UNSET
from msgspec.structs import replace

from steward.assets import events, queries
from steward.assets.connectivity import queries as connectivity_queries
from steward.assets.model import Asset, AssetChanges, NewAsset
from steward.assets.rules import changed, new_asset
from steward.kit.db.pool import Database
from steward.kit.domain.patch import differing
from steward.kit.domain.versions import Precondition
from steward.kit.events.event_types import build_event
from steward.kit.events.publish import publish
from steward.kit.records import records
from steward.kit.records.archiving import Archiving
from steward.kit.security.caller import Caller

ARCHIVING = Archiving(queries.ASSETS, event=events.UPDATED)


async def create(db: Database, who: Caller, new: NewAsset, *, now: int) -> Asset:
    asset = new_asset(new, who.tenant, now)
    async with db.transaction() as tx:
        await records.create(tx, queries.ASSETS, who.tenant, asset, events=[events.CREATED], now=now)
        if new.keep_alive is not None:
            return asset
        return await records.get(tx, queries.ASSETS, who.tenant, asset.id)


async def change(
    db: Database, who: Caller, asset_id: str, changes: AssetChanges, *, precondition: Precondition, now: int
) -> Asset:
    async with db.transaction() as tx:
        old = await records.lock(tx, queries.ASSETS, who.tenant, asset_id, precondition)
        new = changed(old, changes)
        if changes.keep_alive is UNSET and changes.asset_type_id is UNSET:
            told = records.always(events.UPDATED)
            return await records.write(tx, queries.ASSETS, who.tenant, old, new, events=told, now=now)
        await records.write(tx, queries.ASSETS, who.tenant, old, new, now=now)
        if isinstance(changes.keep_alive, int):
            # Where it equals the type's, nothing seems to change, and yet it has to stay when the type's does.
            await queries.set_keep_alive(tx, who.tenant, asset_id, changes.keep_alive)
        await connectivity_queries.schedule_check(tx, who.tenant, asset_id, now)
        # The window may be the type's from now on, so that only the database knows it.
        asset = await records.get(tx, queries.ASSETS, who.tenant, asset_id)
        if asset != old:
            event = build_event(events.UPDATED, asset, tenant=who.tenant, now=now, old=old)
            await publish(tx, who.tenant, [event], now)
        return asset


async def replacement(db: Database, who: Caller, old: Asset, new: NewAsset) -> AssetChanges:
    """An asset shows the window of its type where it has none of its own."""
    own = await queries.own_keep_alive(db, who.tenant, old.id)
    return differing(AssetChanges, replace(old, keep_alive=own), new)


async def delete(db: Database, who: Caller, asset_id: str, *, precondition: Precondition, now: int) -> None:
    await records.delete(
        db,
        queries.ASSETS,
        who.tenant,
        asset_id,
        precondition=precondition,
        now=now,
        event=events.DELETED,
    )
