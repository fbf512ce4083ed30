"""The verbs of a schedule's items."""

from steward.kit.domain.csv_rows import ImportReport, read_sheet
from steward.kit.domain.patch import apply, differing
from steward.kit.records import csv_import, records
from steward.kit.records.context import Context, Target
from steward.sor_schedules.actions import count_items, lock_draft
from steward.sor_schedules.items import queries
from steward.sor_schedules.items.events import CREATED, DELETED, UPDATED
from steward.sor_schedules.items.model import NewRateItem, RateItem, RateItemChanges
from steward.sor_schedules.items.rules import new_item


async def create(ctx: Context, new: NewRateItem) -> RateItem:
    item = new_item(ctx.parent, new, ctx.now)
    async with ctx.transaction() as ctx:
        schedule = await lock_draft(ctx, ctx.parent)
        await records.create(ctx, queries.ITEMS, item, CREATED)
        await count_items(ctx, schedule, 1)
    return item


async def change(ctx: Target, changes: RateItemChanges) -> RateItem:
    async with ctx.transaction() as ctx:
        await lock_draft(ctx, ctx.parent)
        return await records.change(ctx, queries.ITEMS, lambda old: apply(old, changes), UPDATED)


async def delete(ctx: Target) -> None:
    async with ctx.transaction() as ctx:
        schedule = await lock_draft(ctx, ctx.parent)
        await records.delete(ctx, queries.ITEMS, DELETED)
        await count_items(ctx, schedule, -1)


async def import_csv(ctx: Context, text: str, *, dry_run: bool) -> ImportReport:
    """All rows or none. A dry run returns the result without storing it."""
    sheet = await read_sheet(text, NewRateItem, shown=RateItem.__struct_encode_fields__)
    async with ctx.transaction() as ctx:
        schedule = await lock_draft(ctx, ctx.parent)
        matched = await csv_import.match(ctx, queries.ITEMS, sheet)
        codes = [row.code for row in sheet.rows.by_line.values()]
        taken = await queries.by_code(ctx.tx, ctx.tenant, ctx.parent, codes)
        owners = {code: item.id for code, item in taken.items()}
        matched.refuse_repeated("code", lambda row: row.code, owners)
        await matched.build(
            lambda row: new_item(ctx.parent, row, ctx.now),
            lambda old, row: apply(old, differing(RateItemChanges, old, row)),
        )
        if not dry_run:
            await csv_import.store(ctx, matched, created=CREATED, updated=UPDATED)
            await count_items(ctx, schedule, len(matched.made))
    return matched.report(dry_run=dry_run)
