from collections.abc import Container

from msgspec.structs import replace

from steward.assets.model import Asset, AssetChanges, AssetStatus, NewAsset
from steward.kit.domain.csv_rows import Rows
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.security.caller import TenantId


def new_asset(new: NewAsset, tenant: TenantId, now: int) -> Asset:
    return Asset(
        id=new_id("ast"),
        name=new.name,
        description=new.description,
        external_id=new.external_id,
        organization_id=tenant,
        asset_type_id=new.asset_type_id,
        location_id=new.location_id,
        status=AssetStatus.ONLINE,
        connection_status=None,
        is_online=None,
        metadata=new.metadata,
        last_telemetry=None,
        last_seen=None,
        keep_alive=new.keep_alive,
        created=now,
        updated=now,
    )


def changed(old: Asset, changes: AssetChanges) -> Asset:
    """An asset without metadata has empty metadata."""
    return apply(old, replace(changes, metadata={}) if changes.metadata is None else changes)


# What an import can't take, row by row.


def refuse_repeated_external_ids(rows: Rows[NewAsset]) -> None:
    first: dict[str, int] = {}
    for line, new in rows.by_line.items():
        if new.external_id is not None and first.setdefault(new.external_id, line) != line:
            rows.refuse(line, "externalId", f"stands in line {first[new.external_id]} already")


def refuse_unknown_references(
    rows: Rows[NewAsset], *, known_types: Container[str], known_locations: Container[str]
) -> None:
    for line, new in rows.by_line.items():
        if new.asset_type_id not in known_types:
            rows.refuse(line, "assetTypeId", "names no asset type of this organization")
        if new.location_id is not None and new.location_id not in known_locations:
            rows.refuse(line, "locationId", "names no location of this organization")


def refuse_taken_external_ids(rows: Rows[NewAsset], taken: Container[str]) -> None:
    for line, new in rows.by_line.items():
        if new.external_id is not None and new.external_id in taken:
            rows.refuse(line, "externalId", "belongs to another asset already")
