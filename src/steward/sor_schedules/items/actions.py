"""The verbs of a schedule's items."""

from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import ImportReport, read_rows
from steward.kit.domain.patch import apply
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller
from steward.sor_schedules.actions import count_items, lock_draft
from steward.sor_schedules.items import queries
from steward.sor_schedules.items.model import Item, ItemChanges, ItemRow, NewItem
from steward.sor_schedules.items.rules import item_of, new_item, refuse_bad_rates, refuse_repeated_codes


async def create(db: Database, who: Caller, schedule_id: str, new: NewItem, *, now: int) -> Item:
    item = new_item(schedule_id, new, now)
    async with db.transaction() as tx:
        schedule = await lock_draft(tx, who.tenant, schedule_id)
        await records.create(tx, queries.ITEMS, who.tenant, item, now=now)
        await count_items(tx, who.tenant, schedule, 1, now=now)
    return item


async def change(
    db: Database,
    who: Caller,
    schedule_id: str,
    item_id: str,
    changes: ItemChanges,
    *,
    precondition: Precondition,
    now: int,
) -> Item:
    async with db.transaction() as tx:
        await lock_draft(tx, who.tenant, schedule_id)
        return await records.change(
            tx,
            queries.ITEMS,
            who.tenant,
            item_id,
            to=lambda old: apply(old, changes),
            precondition=precondition,
            within=schedule_id,
            now=now,
        )


async def delete(
    db: Database, who: Caller, schedule_id: str, item_id: str, *, precondition: Precondition, now: int
) -> None:
    async with db.transaction() as tx:
        schedule = await lock_draft(tx, who.tenant, schedule_id)
        await records.delete(
            tx, queries.ITEMS, who.tenant, item_id, precondition=precondition, within=schedule_id, now=now
        )
        await count_items(tx, who.tenant, schedule, -1, now=now)


async def import_csv(
    db: Database, who: Caller, schedule_id: str, text: str, *, dry_run: bool, now: int
) -> ImportReport:
    """All rows or none. A dry run says what would happen, and leaves everything as it is."""
    rows = await read_rows(text, ItemRow)
    refuse_bad_rates(rows)
    async with db.transaction() as tx:
        schedule = await lock_draft(tx, who.tenant, schedule_id)
        codes = [row.code for row in rows.by_line.values()]
        refuse_repeated_codes(rows, await queries.taken_codes(tx, who.tenant, schedule_id, codes))
        if not dry_run:
            rows.require_none_wrong()
            items = (new_item(schedule_id, item_of(row), now) for row in rows.by_line.values())
            await records.create_many(tx, queries.ITEMS, who.tenant, items, now=now)
            await count_items(tx, who.tenant, schedule, len(rows.by_line), now=now)
    return ImportReport(
        dry_run=dry_run,
        rows=len(rows.by_line.keys() | {error.line for error in rows.errors}),
        created=0 if rows.errors else len(rows.by_line),
        errors=sorted(rows.errors, key=lambda error: error.line),
    )
