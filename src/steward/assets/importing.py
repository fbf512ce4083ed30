"""Many assets from one CSV file: all of them, or none and a list of what is wrong.

What the file names is looked up once for the whole file, not once for each row.
"""

from steward.asset_types.queries import ASSET_TYPES
from steward.assets import events as told
from steward.assets import queries
from steward.assets.model import NewAsset, new_asset
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import ImportReport, Rows, read_rows
from steward.kit.security.caller import Caller, TenantId
from steward.locations.queries import LOCATIONS


async def import_assets(db: Database, who: Caller, text: str, *, dry_run: bool, now: int) -> ImportReport:
    rows = await read_rows(text, NewAsset)
    refuse_repeated_external_ids(rows)
    async with db.transaction() as tx:
        await _refuse_unknown_references(tx, who.tenant, rows)
        await _refuse_taken_external_ids(tx, who.tenant, rows)
        if not dry_run:
            rows.require_none_wrong()
            assets = (new_asset(who.tenant, new, now) for new in rows.by_line.values())
            await records.create_many(tx, queries.ASSETS, who.tenant, assets, events=[told.CREATED], now=now)
    lines = len(rows.by_line.keys() | {error.line for error in rows.errors})
    return ImportReport(
        dry_run=dry_run,
        rows=lines,
        created=0 if rows.errors else lines,
        errors=sorted(rows.errors, key=lambda error: error.line),
    )


def refuse_repeated_external_ids(rows: Rows[NewAsset]) -> None:
    first: dict[str, int] = {}
    for line, new in rows.by_line.items():
        if new.external_id is not None and first.setdefault(new.external_id, line) != line:
            rows.refuse(line, "externalId", f"stands in line {first[new.external_id]} already")


async def _refuse_unknown_references(db: Database, tenant: TenantId, rows: Rows[NewAsset]) -> None:
    news = rows.by_line.values()
    types = await records.known(db, ASSET_TYPES, tenant, {new.asset_type_id for new in news})
    named = {new.location_id for new in news if new.location_id is not None}
    locations = await records.known(db, LOCATIONS, tenant, named)
    for line, new in rows.by_line.items():
        if new.asset_type_id not in types:
            rows.refuse(line, "assetTypeId", "names no asset type of this organization")
        if new.location_id is not None and new.location_id not in locations:
            rows.refuse(line, "locationId", "names no location of this organization")


async def _refuse_taken_external_ids(db: Database, tenant: TenantId, rows: Rows[NewAsset]) -> None:
    wanted = {new.external_id for new in rows.by_line.values() if new.external_id is not None}
    taken = await queries.taken_external_ids(db, tenant, wanted)
    for line, new in rows.by_line.items():
        if new.external_id in taken:
            rows.refuse(line, "externalId", "belongs to another asset already")
