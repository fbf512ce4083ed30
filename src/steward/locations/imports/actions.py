"""Locations from a file: all rows or none. What a row lies in may stand before or after it."""

from typing import Any

import msgspec

from steward.kit.db.pool import Database, Transaction
from steward.kit.domain.csv_rows import ImportReport, read_sheet
from steward.kit.records import csv_import, records
from steward.kit.records.csv_import import Matched
from steward.kit.security.caller import Caller, TenantId
from steward.locations.events import CREATED, UPDATED
from steward.locations.imports import queries, rules
from steward.locations.imports.model import LocationRow
from steward.locations.model import Location
from steward.locations.queries import LOCATIONS, lock_tree
from steward.locations.rules import new_location

_SHOWN = csv_import.shown_columns(Location)


async def import_locations(db: Database, who: Caller, text: str, *, dry_run: bool, now: int) -> ImportReport:
    sheet = await read_sheet(text, LocationRow, shown=_SHOWN)

    def shows(old: Location) -> dict[str, Any]:
        """A file that names parents in the other way says all there is to say of them."""
        fields: dict[str, Any] = msgspec.to_builtins(old)
        if sheet.has("parentExternalId") and not sheet.has("parentId"):
            fields.pop("parentId")
        return fields

    async with db.transaction() as tx:
        await lock_tree(tx, who.tenant)
        matched = await csv_import.match(tx, LOCATIONS, who.tenant, sheet, shows=shows)
        codes = {row.code for row in sheet.rows.by_line.values() if row.code is not None}
        owners = await queries.ids_by_code(tx, who.tenant, codes)
        matched.refuse_repeated("code", lambda row: row.code, owners)
        await matched.build(lambda row: new_location(row, now), rules.merged)
        await _put_in_place(tx, who.tenant, matched)
        if not dry_run:
            changed = records.always(UPDATED)
            await csv_import.store(
                tx,
                who.tenant,
                matched,
                created=(CREATED,),
                changed=changed,
                order=rules.from_the_top,
                now=now,
            )
    return matched.report(dry_run=dry_run)


async def _put_in_place(tx: Transaction, tenant: TenantId, matched: Matched[Location, LocationRow]) -> None:
    """Nobody else moves a location meanwhile."""
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
