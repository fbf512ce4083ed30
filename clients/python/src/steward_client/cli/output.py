"""How records are written: tables for people, lines for programs."""

import csv
import io
import itertools
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import click
import msgspec
from rich.cells import cell_len

from steward_client.cli import cells, layout
from steward_client.cli.cells import Column
from steward_client.cli.errors import advice

Format = Literal["table", "json", "csv"]
Record = Mapping[str, Any]
# A table is laid out as a whole, so that a long list comes in pieces, each aligned in itself.
_PIECE = 1000


class Output(msgspec.Struct, frozen=True):
    """Where a command's result goes. What is said beside it goes to standard error."""

    format: Format = "table"

    def records(self, columns: Sequence[Column], records: Iterable[Record]) -> int:
        """Writes them as they come; returns how many there were."""
        if self.format == "json":
            return sum(1 for record in records if line(as_json(record)))
        if self.format == "csv":
            line(_csv_line(column.field for column in columns))
            return sum(
                1 for r in records if line(_csv_line(cells.for_csv(column.value(r)) for column in columns))
            )
        count = 0
        for piece in _pieces(records):
            # A person who scrolls wants to see it again; a program would take it for a record.
            show_table(columns, piece, titled=count == 0 or sys.stdout.isatty())
            count += len(piece)
        return count

    def record(self, record: Record, *, said: str | None = None) -> None:
        """One record: every field that has something to say, or `said` in place of it."""
        if self.format == "json":
            line(as_json(record))
        elif self.format == "csv":
            line(_csv_line(record))
            line(_csv_line(map(cells.for_csv, record.values())))
        elif said is not None:
            line(said)
        else:
            _show_fields(record)


def _pieces(records: Iterable[Record]) -> Iterator[list[Record]]:
    remaining = iter(records)
    while piece := list(itertools.islice(remaining, _PIECE)):
        yield piece


def as_json(value: Any) -> str:
    """Escaped where the output is a terminal, or can't hold every letter: it says the same."""
    written = json.dumps(value, ensure_ascii=not has_unicode(), separators=(",", ":"))
    return cells.escaped(written) if sys.stdout.isatty() else written


def _csv_line(values: Iterable[str]) -> str:
    if sys.stdout.isatty():
        values = map(cells.printable, values)
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(values)
    return buffer.getvalue()


def line(words: str) -> bool:
    """True, so that it can be counted."""
    if sys.stdout.isatty():
        click.echo(words)
    else:
        # click would take away what looks like a colour, which may be part of the data.
        sys.stdout.write(f"{words}\n")
        sys.stdout.flush()
    return True


def say(words: str) -> None:
    click.echo(advice(words), err=True)


def has_colours(environment: Mapping[str, str] = os.environ) -> bool:
    """https://no-color.org: whatever it holds, as long as it holds something."""
    return sys.stdout.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def has_unicode(encoding: str | None = None) -> bool:
    """Whether braille and box characters can be written there."""
    try:
        "⣿┤".encode(encoding or sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write_what_can_be_written() -> None:
    """A terminal without a letter shows a question mark in its place, and the rest."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def styled(words: str, style: str) -> str:
    """With the colour that a word has, on a terminal that is to show it."""
    return click.style(words, **cells.LOOKS[style]) if style and has_colours() else words


def show_table(columns: Sequence[Column], records: Sequence[Record], *, titled: bool = True) -> None:
    titles = [column.title for column in columns]
    rows = [[column.text(record) for column in columns] for record in records]
    if not sys.stdout.isatty():
        for aligned in plain_table(titles, rows)[0 if titled else 1 :]:
            line(aligned)
        return
    widths = [max(map(cell_len, cells_of)) for cells_of in zip(titles, *rows, strict=True)]
    room = shutil.get_terminal_size().columns
    fitting = layout.fitted(widths, [column.shrinks for column in columns], room)
    line(_row(titles, fitting, ["bold"] * len(titles)))
    for row in rows:
        line(_row(row, fitting, [cells.STYLES.get(words, "") for words in row]))


def _row(row: Sequence[str], widths: Sequence[int], styles: Sequence[str]) -> str:
    mark = "…" if has_unicode() else "~"
    return "  ".join(
        styled(layout.cell(words, width, mark), style)
        for words, width, style in zip(row, widths, styles, strict=True)
        if width
    ).rstrip()


def plain_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned by what the characters take up on a terminal: some are two columns wide, some none. Nothing is cut."""
    table = [[title.upper() for title in titles], *rows]
    widths = [max(cell_len(row[place]) for row in table) for place in range(len(titles))]
    return [
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in table
    ]


def _show_fields(record: Record) -> None:
    fields = [(name, cells.shown(name, value)) for name, value in record.items()]
    told = [(name, words) for name, words in fields if words]
    width = max((len(name) for name, _ in told), default=0)
    for name, words in told:
        line(f"{styled(f'{name:<{width}}', 'bold')}  {styled(words, cells.STYLES.get(words, ''))}")
