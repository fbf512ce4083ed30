"""Reads CSV into the Structs that a JSON body would become, row by row, and says what is wrong where.

The head names fields as the API does; `metadata.serialNumber` reaches into an object. An empty cell is an absent field.
"""

import csv
import io
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.domain.fields import Record
from steward.kit.domain.problems import Detail, Invalid
from steward.kit.domain.validation import invalid
from steward.kit.runtime.time_slice import TimeSlice

T = TypeVar("T", bound=msgspec.Struct)

MAX_ROWS = 10_000
MAX_COLUMNS = 200
_MAX_ERRORS = 100

# A spreadsheet takes a cell that begins like this for something to compute.
_FORMULA = tuple("=+-@\t\r")
_AS_TEXT = "'"


class RowError(Record, frozen=True):
    """What is wrong in one line; the head is line 1."""

    line: int
    field: str
    message: str


class Rows(Generic[T]):
    """The rows that could be read, by line, and what is wrong with the others."""

    def __init__(self) -> None:
        self.by_line: dict[int, T] = {}
        self.errors: list[RowError] = []

    def refuse(self, line: int, field: str, message: str) -> None:
        self.errors.append(RowError(line, field, message))

    def keep(self, first: int, count: int | None) -> None:
        """Only so many of the rows that could be read, from the first, which has number 0; the whole file was checked before."""
        end = None if count is None else first + count
        self.by_line = dict(list(self.by_line.items())[first:end])

    def require_none_wrong(self) -> None:
        """An import happens as a whole or not at all."""
        if self.errors:
            found = sorted(self.errors, key=lambda error: error.line)[:_MAX_ERRORS]
            raise Invalid.of(Detail(f"line {error.line}: {error.field}", error.message) for error in found)


class ImportReport(Record, frozen=True):
    """What an import did, or in a dry run would do."""

    dry_run: bool
    rows: int
    created: int
    errors: list[RowError]


class ImportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    dry_run: bool = False


def as_text(cell: str) -> str:
    """For files that we write: what somebody has put into a name must not run on the machine of who opens the file."""
    return f"{_AS_TEXT}{cell}" if cell.startswith(_FORMULA) else cell


def _as_meant(cell: str) -> str:
    """For files that may have been ours before."""
    return cell[1:] if cell.startswith(_AS_TEXT) and cell[1:].startswith(_FORMULA) else cell


async def read_rows(text: str, model: type[T]) -> Rows[T]:
    """A long file takes a while, in which others get their turns."""
    time_slice = TimeSlice()
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: Rows[T] = Rows()
    try:
        head = _Head(next(reader, []), model)
        for count, cells in enumerate(reader):
            if time_slice.expired:
                await time_slice.yield_control()
            if count >= 2 * MAX_ROWS:
                raise Invalid("", "The file has too many empty lines.")
            if not any(cells):
                continue
            if len(rows.by_line) + len(rows.errors) >= MAX_ROWS:
                raise Invalid("", f"The file has more than {MAX_ROWS} rows; send it in parts.")
            meant = [_as_meant(cell) for cell in cells] if _AS_TEXT in text else cells
            _read_row(rows, reader.line_num, head, meant, model)
    except csv.Error as error:
        raise Invalid(f"line {reader.line_num}", f"is not CSV: {error}") from None
    return rows


class _Head:
    """Which cell goes where: into a field, or into a part of one."""

    def __init__(self, names: list[str], model: type[msgspec.Struct]) -> None:
        _check_head(names, model)
        self.width = len(names)
        self._whole = [(place, name) for place, name in enumerate(names) if "." not in name]
        self._parts: dict[str, list[tuple[int, str]]] = {}
        for place, name in enumerate(names):
            outer, dot, inner = name.partition(".")
            if dot:
                self._parts.setdefault(outer, []).append((place, inner))

    def fields(self, cells: list[str]) -> dict[str, Any]:
        fields: dict[str, Any] = {name: cells[place] for place, name in self._whole if cells[place]}
        for outer, parts in self._parts.items():
            if given := {inner: cells[place] for place, inner in parts if cells[place]}:
                fields[outer] = given
        return fields


def _check_head(head: list[str], model: type[msgspec.Struct]) -> None:
    if len(head) > MAX_COLUMNS:
        raise Invalid("", f"The file has more than {MAX_COLUMNS} columns.")
    known = set(model.__struct_encode_fields__)
    if unknown := [name for name in head if name.partition(".")[0] not in known]:
        not_taken: Mapping[str, str] = getattr(model, "not_taken", {})
        raise Invalid(unknown[0], not_taken.get(unknown[0], "is not a column that this takes"))
    named = set(head)
    if len(named) != len(head):
        raise Invalid("", "A column is named twice.")
    if both := [name for name in head if "." in name and name.partition(".")[0] in named]:
        raise Invalid(both[0], "is a part of another column")
    missing = [
        field.encode_name
        for field in msgspec.structs.fields(model)
        if field.required and field.encode_name not in named
    ]
    if missing:
        raise Invalid(missing[0], "is a column that must be there")


def _read_row(rows: Rows[T], line: int, head: _Head, cells: list[str], model: type[T]) -> None:
    if len(cells) != head.width:
        rows.refuse(line, "", f"has {len(cells)} cells instead of {head.width}")
        return
    fields = head.fields(cells)
    try:
        rows.by_line[line] = msgspec.convert(fields, model, strict=False)
    except msgspec.ValidationError as error:
        for fault in invalid(model, fields, error, strict=False).details:
            rows.refuse(line, fault.field, fault.message)
