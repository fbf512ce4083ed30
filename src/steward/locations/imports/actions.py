"""Locations from a file: all rows or none. A row's parent may come before or after it."""

from typing import Any

import msgspec

from steward.kit.db.pool import Transaction
from steward.kit.domain.csv_rows import ImportReport, read_sheet
from steward.kit.records import csv_import
from steward.kit.records.context import Context
from steward.kit.records.csv_import import Matched
from steward.kit.security.caller import TenantId
from steward.locations.events import CREATED, UPDATED
from steward.locations.imports import queries, rules
from steward.locations.imports.model import LocationRow
from steward.locations.model import Location
from steward.locations.queries import LOCATIONS, lock_tree
from steward.locations.rules import new_location


async def import_locations(ctx: Context, text: str, *, dry_run: bool) -> ImportReport:
    sheet = await read_sheet(text, LocationRow, shown=Location.__struct_encode_fields__)

    def shows(old: Location) -> dict[str, Any]:
        """For a file that names parents by the other column."""
        fields: dict[str, Any] = msgspec.to_builtins(old)
        if sheet.has("parentExternalId") and not sheet.has("parentId"):
            fields.pop("parentId")
        return fields

    async with ctx.transaction() as ctx:
        await lock_tree(ctx.tx, ctx.tenant)
        matched = await csv_import.match(ctx, LOCATIONS, sheet, shows=shows)
        codes = {row.code for row in sheet.rows.by_line.values() if row.code is not None}
        owners = await queries.ids_by_code(ctx.tx, ctx.tenant, codes)
        matched.refuse_repeated("code", lambda row: row.code, owners)
        await matched.build(lambda row: new_location(row, ctx.now), rules.merged)
        await _put_in_place(ctx.tx, ctx.tenant, matched)
        if not dry_run:
            await csv_import.store(ctx, matched, created=CREATED, updated=UPDATED, order=rules.from_the_top)
    return matched.report(dry_run=dry_run)


async def _put_in_place(tx: Transaction, tenant: TenantId, matched: Matched[Location, LocationRow]) -> None:
    """The lock of the tree keeps other requests from moving a location meanwhile."""
    rows, locations = matched.rows, {**matched.made, **matched.changed}
    names = {row.parent_external_id for row in rows.by_line.values() if row.parent_external_id is not None}
    stored = await queries.ids_by_external_id(tx, tenant, names)
    parents = rules.wanted_parents(rows, locations, stored)
    above = await queries.parents_above(tx, tenant, {parent for parent in parents.values() if parent})
    for part in (matched.made, matched.changed):
        part.update({line: rules.in_place(one, parents[line]) for line, one in part.items()})
    locations = {**matched.made, **matched.changed}
    tree = {**above, **{location.id: location.parent_id for location in locations.values()}}
    rules.refuse_unknown_parents(rows, parents, tree)
    rules.refuse_circles(rows, locations, tree)
