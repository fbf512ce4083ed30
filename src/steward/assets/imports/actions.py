"""Assets from a file: all rows or none."""

from steward.asset_types.queries import ASSET_TYPES
from steward.assets import events
from steward.assets import queries as assets
from steward.assets.connectivity import queries as connectivity
from steward.assets.imports.rules import checked_anew, merged, refuse_unknown_references
from steward.assets.model import Asset, NewAsset
from steward.assets.rules import new_asset
from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import ImportReport, Rows, read_sheet
from steward.kit.records import csv_import, records
from steward.kit.records.context import Context
from steward.kit.records.csv_import import Matched
from steward.kit.security.caller import TenantId
from steward.locations.queries import LOCATIONS


async def import_assets(
    ctx: Context, text: str, *, dry_run: bool, first: int = 0, count: int | None = None
) -> ImportReport:
    """For callers that show progress: imports so many rows from the first, of a file without faults."""
    sheet = await read_sheet(text, NewAsset, shown=Asset.__struct_encode_fields__)
    if first or count is not None:
        sheet.keep(first, count)
    async with ctx.transaction() as ctx:
        matched = await csv_import.match(ctx, assets.ASSETS, sheet)
        await _refuse_against_stored(ctx.tx, ctx.tenant, sheet.rows)
        own = await assets.own_keep_alives(ctx.tx, ctx.tenant, [old.id for old in matched.old.values()])
        await matched.build(
            lambda row: new_asset(row, ctx.tenant, ctx.now),
            lambda old, row: merged(old, row, own.get(old.id)),
        )
        if not dry_run:
            await _store(ctx, matched)
    return matched.report(dry_run=dry_run)


async def _store(ctx: Context, matched: Matched[Asset, NewAsset]) -> None:
    await csv_import.store(ctx, matched, created=events.CREATED, updated=events.UPDATED)
    for line, asset in matched.changed.items():
        if checked_anew(matched.old[line], asset):
            await connectivity.schedule_check(ctx.tx, ctx.tenant, asset.id, ctx.now)


async def _refuse_against_stored(db: Database, tenant: TenantId, rows: Rows[NewAsset]) -> None:
    """References are looked up once for the whole file, not once for each row."""
    types = await records.known(db, ASSET_TYPES, tenant, {row.asset_type_id for row in rows.by_line.values()})
    named = {row.location_id for row in rows.by_line.values() if row.location_id is not None}
    locations = await records.known(db, LOCATIONS, tenant, named)
    refuse_unknown_references(rows, known_types=types, known_locations=locations)
