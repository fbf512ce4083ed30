from steward.asset_types import queries
from steward.asset_types.model import (
    AssetType,
    AssetTypeChanges,
    NewAssetType,
    changed,
    new_type,
    sensor_types,
)
from steward.kit.db import records
from steward.kit.db.pool import Database, Transaction
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller, TenantId


async def create(db: Database, who: Caller, new: NewAssetType) -> AssetType:
    return await records.create(db, queries.ASSET_TYPES, who.tenant, new_type(new, clock.now()))


async def change(
    db: Database, who: Caller, type_id: str, changes: AssetTypeChanges, if_match: str | None
) -> AssetType:
    return await records.change(
        db,
        queries.ASSET_TYPES,
        who.tenant,
        type_id,
        to=lambda old: changed(old, changes),
        if_match=if_match,
    )


async def delete(db: Database, who: Caller, type_id: str, if_match: str | None) -> None:
    await records.delete(db, queries.ASSET_TYPES, who.tenant, type_id, if_match=if_match)


async def install_sensor_types(tx: Transaction, tenant: TenantId) -> None:
    await records.create_many(tx, queries.ASSET_TYPES, tenant, list(sensor_types(clock.now())))
