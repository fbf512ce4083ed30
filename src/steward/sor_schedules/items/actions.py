"""The verbs of a schedule's items."""

from steward.kit.db.pool import Database
from steward.kit.domain.csv_rows import ImportReport, read_sheet
from steward.kit.domain.patch import apply, differing
from steward.kit.domain.versions import Precondition
from steward.kit.records import csv_import, records
from steward.kit.security.caller import Caller
from steward.sor_schedules.actions import count_items, lock_draft
from steward.sor_schedules.items import queries
from steward.sor_schedules.items.events import CREATED, DELETED, UPDATED
from steward.sor_schedules.items.model import NewRateItem, RateItem, RateItemChanges
from steward.sor_schedules.items.rules import new_item

_SHOWN = csv_import.shown_columns(RateItem)


async def create(db: Database, who: Caller, schedule_id: str, new: NewRateItem, *, now: int) -> RateItem:
    item = new_item(schedule_id, new, now)
    async with db.transaction() as tx:
        schedule = await lock_draft(tx, who.tenant, schedule_id)
        await records.create(tx, queries.ITEMS, who.tenant, item, events=(CREATED,), now=now)
        await count_items(tx, who.tenant, schedule, 1, now=now)
    return item


async def change(
    db: Database,
    who: Caller,
    schedule_id: str,
    item_id: str,
    changes: RateItemChanges,
    *,
    precondition: Precondition,
    now: int,
) -> RateItem:
    async with db.transaction() as tx:
        await lock_draft(tx, who.tenant, schedule_id)
        return await records.change(
            tx,
            queries.ITEMS,
            who.tenant,
            item_id,
            to=lambda old: apply(old, changes),
            events=records.always(UPDATED),
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
            tx,
            queries.ITEMS,
            who.tenant,
            item_id,
            precondition=precondition,
            within=schedule_id,
            event=DELETED,
            now=now,
        )
        await count_items(tx, who.tenant, schedule, -1, now=now)


async def import_csv(
    db: Database, who: Caller, schedule_id: str, text: str, *, dry_run: bool, now: int
) -> ImportReport:
    """All rows or none. A dry run says what would happen, and leaves everything as it is."""
    sheet = await read_sheet(text, NewRateItem, shown=_SHOWN)
    async with db.transaction() as tx:
        schedule = await lock_draft(tx, who.tenant, schedule_id)
        matched = await csv_import.match(tx, queries.ITEMS, who.tenant, sheet, within=schedule_id)
        codes = [row.code for row in sheet.rows.by_line.values()]
        taken = await queries.by_code(tx, who.tenant, schedule_id, codes)
        owners = {code: item.id for code, item in taken.items()}
        matched.refuse_repeated("code", lambda row: row.code, owners)
        await matched.build(
            lambda row: new_item(schedule_id, row, now),
            lambda old, row: apply(old, differing(RateItemChanges, old, row)),
        )
        if not dry_run:
            told = records.always(UPDATED)
            await csv_import.store(tx, who.tenant, matched, created=(CREATED,), changed=told, now=now)
            await count_items(tx, who.tenant, schedule, len(matched.made), now=now)
    return matched.report(dry_run=dry_run)
