from steward.asset_types import queries
from steward.asset_types.events import CREATED, DELETED, UPDATED
from steward.asset_types.model import AssetType, AssetTypeChanges, NewAssetType
from steward.asset_types.rules import changed, new_asset_type, sensor_types
from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.versions import Precondition
from steward.kit.records import many_records, records
from steward.kit.security.caller import Caller, TenantId


async def create(db: Database, who: Caller, new: NewAssetType, *, now: int) -> AssetType:
    made = new_asset_type(new, now)
    return await records.create(db, queries.ASSET_TYPES, who.tenant, made, events=(CREATED,), now=now)


async def change(
    db: Database,
    who: Caller,
    type_id: str,
    changes: AssetTypeChanges,
    *,
    precondition: Precondition,
    now: int,
) -> AssetType:
    return await records.change(
        db,
        queries.ASSET_TYPES,
        who.tenant,
        type_id,
        to=lambda old: changed(old, changes),
        events=records.always(UPDATED),
        precondition=precondition,
        now=now,
    )


async def delete(db: Database, who: Caller, type_id: str, *, precondition: Precondition, now: int) -> None:
    await records.delete(
        db, queries.ASSET_TYPES, who.tenant, type_id, precondition=precondition, event=DELETED, now=now
    )


async def install_sensor_types(tx: Transaction, tenant: TenantId, *, now: int) -> None:
    """Without events: nobody has a copy of an organization that is just being founded."""
    await many_records.create(tx, queries.ASSET_TYPES, tenant, list(sensor_types(now)), now=now)
