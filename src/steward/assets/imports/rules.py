"""What a row of a file makes of an asset."""

from collections.abc import Container

from msgspec.structs import replace

from steward.assets.model import Asset, AssetChanges, NewAsset
from steward.kit.domain.csv_rows import Rows
from steward.kit.domain.patch import apply, differing


def merged(old: Asset, row: NewAsset, own_keep_alive: int | None) -> Asset:
    """A file shows the effective keepAlive, the asset's own or its type's; an unchanged value stays as it is."""
    if row.keep_alive == old.keep_alive:
        own_keep_alive = old.keep_alive
    return apply(old, differing(AssetChanges, replace(old, keep_alive=own_keep_alive), row))


def checked_anew(old: Asset, new: Asset) -> bool:
    """Whether the asset's keepAlive changes."""
    return (old.keep_alive, old.asset_type_id) != (new.keep_alive, new.asset_type_id)


def refuse_unknown_references(
    rows: Rows[NewAsset], *, known_types: Container[str], known_locations: Container[str]
) -> None:
    for line, row in rows.by_line.items():
        if row.asset_type_id not in known_types:
            rows.refuse(line, "assetTypeId", "names no asset type of this organization")
        if row.location_id is not None and row.location_id not in known_locations:
            rows.refuse(line, "locationId", "names no location of this organization")
