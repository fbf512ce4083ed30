import re

from steward.kit.domain.csv_rows import Rows
from steward.kit.domain.ids import new_id
from steward.sor_schedules.items.model import MAX_RATE_CENTS, Item, ItemRow, NewItem

_CENTS = re.compile(r"[0-9]{1,13}")


def new_item(schedule_id: str, new: NewItem, now: int) -> Item:
    return Item(
        id=new_id("soi"),
        schedule_id=schedule_id,
        code=new.code,
        description=new.description,
        unit=new.unit,
        rate_cents=new.rate_cents,
        created=now,
        updated=now,
    )


def refuse_bad_rates(rows: Rows[ItemRow]) -> None:
    for line, row in rows.by_line.items():
        if not _CENTS.fullmatch(row.rate_cents) or int(row.rate_cents) > MAX_RATE_CENTS:
            rows.refuse(line, "rateCents", f"must be a whole number of cents, {MAX_RATE_CENTS} at most")


def item_of(row: ItemRow) -> NewItem:
    return NewItem(code=row.code, description=row.description, unit=row.unit, rate_cents=int(row.rate_cents))


def refuse_repeated_codes(rows: Rows[ItemRow], taken: set[str]) -> None:
    """`taken` are codes that the schedule holds already."""
    first_line: dict[str, int] = {}
    for line, item in rows.by_line.items():
        if item.code in taken:
            rows.refuse(line, "code", f"the schedule has an item {item.code} already")
        elif item.code in first_line:
            rows.refuse(line, "code", f"{item.code} stands in line {first_line[item.code]} already")
        else:
            first_line[item.code] = line
