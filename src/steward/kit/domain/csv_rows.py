"""Reads CSV into the Structs of JSON bodies, row by row, and reports errors by line and field.

The head has the names of the API; `metadata.serialNumber` is a key of an object. For a new record an empty cell is an absent field. For an
existing one, a missing column changes nothing and an empty cell clears the field. So importing an unchanged export changes nothing.
"""

import csv
import io
from collections.abc import Collection, Mapping
from typing import Any, Generic, TypeVar

import msgspec

from steward.kit.domain.csv_head import CsvHead
from steward.kit.domain.fields import Record
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.domain.validation import invalid
from steward.kit.runtime.time_slice import TimeSlice

T = TypeVar("T", bound=msgspec.Struct)

MAX_ROWS = 10_000
_MAX_ERRORS = 100
_NOT_CSV = "is not CSV: look for a quotation mark that is not closed, or stands alone within a cell"

# A spreadsheet evaluates a cell that begins with one of these.
_FORMULA = tuple("=+-@\t\r")
_AS_TEXT = "'"


class RowError(Record, frozen=True):
    """What is wrong in one line; the head is line 1."""

    line: int
    field: str
    message: str


class Rows(msgspec.Struct, Generic[T]):
    """The valid rows, by line, and the errors of the others."""

    by_line: dict[int, T] = {}
    errors: list[RowError] = []

    def refuse(self, line: int, field: str, message: str) -> None:
        self.errors.append(RowError(line, field, message))

    def require_none_wrong(self) -> None:
        """An import is all or nothing."""
        if self.errors:
            found = sorted(self.errors, key=lambda error: error.line)
            raise Invalid.of(
                (ErrorDetail(f"line {error.line}: {error.field}", error.message) for error in found),
                most=_MAX_ERRORS,
            )


class ImportReport(Record, frozen=True):
    """What an import did, or in a dry run would do."""

    dry_run: bool
    rows: int
    created: int
    changed: int
    unchanged: int
    errors: list[RowError]


class ImportQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    dry_run: bool = False


def as_text(cell: str) -> str:
    """For exported files: a cell must not run as a formula on the reader's machine."""
    return f"{_AS_TEXT}{cell}" if cell.lstrip(_AS_TEXT).startswith(_FORMULA) else cell


def _as_meant(cell: str) -> str:
    """For imported files that may be exports."""
    return cell[1:] if cell.startswith(_AS_TEXT) and cell.lstrip(_AS_TEXT).startswith(_FORMULA) else cell


class Sheet(Generic[T]):
    """A file with a valid head, whose cells haven't been read."""

    def __init__(self, head: CsvHead, model: type[T]) -> None:
        self._head = head
        self._model = model
        self.width = head.width
        self.cells: dict[int, list[str]] = {}
        self.rows: Rows[T] = Rows()

    def has(self, column: str) -> bool:
        return column in self._head.places

    def cell(self, line: int, column: str) -> str:
        """Empty if the file has no such column."""
        place = self._head.places.get(column)
        return "" if place is None else self.cells[line][place]

    def keep(self, first: int, count: int | None) -> None:
        """Keeps `count` lines from number `first` on, counted from 0; the whole file was checked before."""
        self.rows.require_none_wrong()
        end = None if count is None else first + count
        self.cells = dict(list(self.cells.items())[first:end])

    def read(self, line: int, old: Mapping[str, Any] | None = None) -> None:
        """Reads a line as a new record, or as a change of one with these fields."""
        faults, fields = self._head.fields(self.cells[line], old)
        try:
            if not faults:
                self.rows.by_line[line] = msgspec.convert(fields, self._model, strict=False)
                return
        except msgspec.ValidationError as error:
            faults = list(invalid(self._model, fields, error, strict=False).details)
        for fault in faults:
            self.rows.refuse(line, fault.field, fault.message)


async def read_sheet(text: str, model: type[T], *, shown: Collection[str] = ()) -> Sheet[T]:
    """`shown` are columns of exported files that aren't in the model. Other requests get turns while a long file is read."""
    time_slice = TimeSlice()
    may_be_ours = _AS_TEXT in text
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        sheet = Sheet(CsvHead(next(reader, []), model, shown), model)
        for count, cells in enumerate(reader):
            if time_slice.expired:
                await time_slice.yield_control()
            if count >= 2 * MAX_ROWS:
                raise Invalid("", "The file has too many empty lines.")
            if not any(cells):
                continue
            if len(sheet.cells) + len(sheet.rows.errors) >= MAX_ROWS:
                raise Invalid("", f"The file has more than {MAX_ROWS} rows; send it in parts.")
            if len(cells) != sheet.width:
                sheet.rows.refuse(reader.line_num, "", f"has {len(cells)} cells instead of {sheet.width}")
                continue
            sheet.cells[reader.line_num] = [_as_meant(cell) for cell in cells] if may_be_ours else cells
    except csv.Error:
        raise Invalid(f"line {reader.line_num}", _NOT_CSV) from None
    return sheet


async def read_rows(text: str, model: type[T]) -> Rows[T]:
    """A file of new records only."""
    sheet, time_slice = await read_sheet(text, model), TimeSlice()
    for line in sheet.cells:
        if time_slice.expired:
            await time_slice.yield_control()
        sheet.read(line)
    return sheet.rows
