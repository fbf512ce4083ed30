"""The verbs, and the import of many assets at once."""

from msgspec import UNSET
from msgspec.structs import replace

from steward.asset_types.queries import ASSET_TYPES
from steward.assets import events, queries
from steward.assets.connectivity import queries as connectivity_queries
from steward.assets.model import Asset, AssetChanges, NewAsset
from steward.assets.rules import (
    changed,
    new_asset,
    refuse_repeated_external_ids,
    refuse_taken_external_ids,
    refuse_unknown_references,
)
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import ImportReport, Rows, read_rows
from steward.kit.domain.patch import differing
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller, TenantId
from steward.locations.queries import LOCATIONS


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
        asset = await records.change(
            tx,
            queries.ASSETS,
            who.tenant,
            asset_id,
            to=lambda old: changed(old, changes),
            precondition=precondition,
            events=records.always(events.UPDATED),
            now=now,
        )
        if changes.keep_alive is UNSET and changes.asset_type_id is UNSET:
            return asset
        if isinstance(changes.keep_alive, int):
            # Where it equals the type's, nothing seems to change, and yet it has to stay when the type's does.
            await queries.set_keep_alive(tx, who.tenant, asset_id, changes.keep_alive)
        await connectivity_queries.schedule_check(tx, who.tenant, asset_id, now)
        return await records.get(tx, queries.ASSETS, who.tenant, asset_id)


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


async def import_assets(
    db: Database,
    who: Caller,
    text: str,
    *,
    dry_run: bool,
    now: int,
    first: int = 0,
    count: int | None = None,
) -> ImportReport:
    """Many assets from one CSV file: all of them, or none and a list of what is wrong.

    Who shows how far it has come imports it in parts: so many rows from the first, of a file that has nothing wrong.
    """
    rows = await read_rows(text, NewAsset)
    refuse_repeated_external_ids(rows)
    if first or count is not None:
        rows.require_none_wrong()
        rows.keep(first, count)
    async with db.transaction() as tx:
        await _refuse_against_stored(tx, who.tenant, rows)
        if not dry_run:
            rows.require_none_wrong()
            assets = (new_asset(new, who.tenant, now) for new in rows.by_line.values())
            await records.create_many(
                tx, queries.ASSETS, who.tenant, assets, events=[events.CREATED], now=now
            )
    lines = len(rows.by_line.keys() | {error.line for error in rows.errors})
    return ImportReport(
        dry_run=dry_run,
        rows=lines,
        created=0 if rows.errors else lines,
        errors=sorted(rows.errors, key=lambda error: error.line),
    )


async def _refuse_against_stored(db: Database, tenant: TenantId, rows: Rows[NewAsset]) -> None:
    """What the file names is looked up once for the whole file, not once for each row."""
    news = rows.by_line.values()
    types = await records.known(db, ASSET_TYPES, tenant, {new.asset_type_id for new in news})
    named = {new.location_id for new in news if new.location_id is not None}
    locations = await records.known(db, LOCATIONS, tenant, named)
    refuse_unknown_references(rows, known_types=types, known_locations=locations)
    wanted = {new.external_id for new in news if new.external_id is not None}
    refuse_taken_external_ids(rows, await queries.taken_external_ids(db, tenant, wanted))
