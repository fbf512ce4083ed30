"""Records from a file: rows that name one that is there change it, the others make new ones; all of them or none.

A row names a record by its `id`, or else by its `externalId`. Files that we wrote can be sent back as they are, or changed.
"""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.db.table import Table
from steward.kit.domain.csv_rows import ImportReport, RowError, Rows, Sheet
from steward.kit.domain.problems import Invalid, Problem
from steward.kit.events.event_types import EventType
from steward.kit.records import many_records
from steward.kit.records.context import Context
from steward.kit.runtime.time_slice import TimeSlice

R = TypeVar("R", bound=msgspec.Struct)
T = TypeVar("T", bound=msgspec.Struct)

_ID, _EXTERNAL_ID = "id", "externalId"


class Matched(msgspec.Struct, Generic[R, T]):
    """What the lines of a file say, and the records that they are about."""

    table: Table[R]
    sheet: Sheet[T]
    # By line; without those that make something new.
    old: dict[int, R] = {}
    # By line, once they are known: what is made, and what becomes of what is there.
    made: dict[int, R] = {}
    changed: dict[int, R] = {}

    @property
    def rows(self) -> Rows[T]:
        return self.sheet.rows

    def is_about(self, line: int, id: str) -> bool:
        """Whether a line is about this very record."""
        old = self.old.get(line)
        return old is not None and getattr(old, self.table.fields[0]) == id

    def refuse_repeated(
        self, field: str, values: Callable[[T], str | None], owners: Mapping[str, str]
    ) -> None:
        """What only one record may have: `owners` are those that have it, by value. A line with other faults also gets this
        one along with them."""
        first: dict[str, int] = {}
        for line in self.sheet.cells:
            row = self.rows.by_line.get(line)
            value = self.sheet.cell(line, field) if row is None else values(row)
            if not value:
                continue
            if value in owners and not self.is_about(line, owners[value]):
                self.rows.refuse(line, field, f"{value} belongs to another {self.table.noun} already")
            elif first.setdefault(value, line) != line:
                self.rows.refuse(line, field, f"{value} stands in line {first[value]} already")

    async def build(self, make: Callable[[T], R], change: Callable[[R, T], R]) -> None:
        """What rules say of each row; a Problem of theirs is one of the line."""
        time_slice = TimeSlice()
        for line, row in self.rows.by_line.items():
            try:
                if line in self.old:
                    self.changed[line] = change(self.old[line], row)
                else:
                    self.made[line] = make(row)
            except Invalid as problem:
                for detail in problem.details:
                    self.rows.refuse(line, detail.field, detail.message)
            except Problem as problem:
                self.rows.refuse(line, "", problem.message)
            if time_slice.expired:
                await time_slice.yield_control()

    def report(self, *, dry_run: bool) -> ImportReport:
        errors: list[RowError] = sorted(self.rows.errors, key=lambda error: error.line)
        unchanged = sum(1 for line, new in self.changed.items() if new == self.old[line])
        return ImportReport(
            dry_run=dry_run,
            rows=len(self.rows.by_line.keys() | {error.line for error in errors}),
            created=0 if errors else len(self.made),
            changed=0 if errors else len(self.changed) - unchanged,
            unchanged=0 if errors else unchanged,
            errors=errors,
        )


async def match(
    ctx: Context,
    table: Table[R],
    sheet: Sheet[T],
    *,
    shows: Callable[[R], dict[str, Any]] = msgspec.to_builtins,
) -> Matched[R, T]:
    """Reads every line against the record that it names, which stays locked. `shows` is what a file of ours says of one."""
    matched = Matched(table, sheet)
    ids = {cell for line in sheet.cells if (cell := sheet.cell(line, _ID))}
    by_id = {getattr(one, table.fields[0]): one for one in await many_records.lock(ctx, table, ids)}
    names = {cell for line in sheet.cells if (cell := sheet.cell(line, _EXTERNAL_ID))}
    by_name: dict[str, Any] = {}
    if names:
        found = await many_records.lock(ctx, table, names, by_external_id=True)
        by_name = {one.external_id: one for one in found}  # type: ignore[attr-defined]
    by_id = {id: one for id, one in by_id.items() if table.belongs_to(one, ctx.within)}
    first: dict[str, int] = {}
    time_slice = TimeSlice()
    for line in sheet.cells:
        if not _names_something(matched, line, first, by_id, by_name):
            continue
        old = by_id.get(sheet.cell(line, _ID)) or by_name.get(sheet.cell(line, _EXTERNAL_ID))
        if old is not None:
            matched.old[line] = old
        sheet.read(line, None if old is None else shows(old))
        if time_slice.expired:
            await time_slice.yield_control()
    return matched


def _names_something(
    matched: Matched[R, Any], line: int, first: dict[str, int], by_id: dict[str, R], by_name: dict[str, R]
) -> bool:
    """Refuses a line that names nothing that is there, the same as a line before it, or a name that is another's."""
    sheet, noun = matched.sheet, matched.table.noun
    id, name = sheet.cell(line, _ID), sheet.cell(line, _EXTERNAL_ID)
    if id and id not in by_id:
        sheet.rows.refuse(line, _ID, f"names no {noun} that is here")
        return False
    owner = by_name.get(name)
    if id and owner is not None and getattr(owner, matched.table.fields[0]) != id:
        sheet.rows.refuse(line, _EXTERNAL_ID, f"belongs to another {noun} already")
        return True
    for column, cell in ((_ID, id), (_EXTERNAL_ID, name)):
        if cell and first.setdefault(f"{column} {cell}", line) != line:
            sheet.rows.refuse(line, column, f"stands in line {first[f'{column} {cell}']} already")
            break
    return True


async def store(
    ctx: Context,
    matched: Matched[R, Any],
    *,
    created: EventType,
    updated: EventType,
    order: Callable[[list[R]], list[R]] = lambda made: made,
) -> None:
    """All of it, or a Problem that names every line at fault."""
    matched.rows.require_none_wrong()
    made = order(list(matched.made.values()))
    await many_records.create(ctx, matched.table, made, created)
    pairs = ((matched.old[line], new) for line, new in matched.changed.items())
    await many_records.write(ctx, matched.table, pairs, updated)
