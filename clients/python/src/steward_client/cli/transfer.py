"""`steward export` and `steward import`: whole lists, as they come."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import IO, Any, cast

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)

from steward_client import to_dict
from steward_client.cli.cells import printable
from steward_client.cli.command import Moment, UserCommand
from steward_client.cli.errors import REFUSED, USAGE, CommandError
from steward_client.cli.files import replaced
from steward_client.cli.output import say
from steward_client.cli.session import Session

# What people call it, and the client's group.
EXPORTS = {
    "alert-rules": "alert_rules",
    "alerts": "alerts",
    "api-keys": "api_keys",
    "asset-types": "asset_types",
    "assets": "assets",
    "bookings": "bookings",
    "decks": "decks",
    "events": "events",
    "forms": "forms",
    "locations": "locations",
    "quotations": "quotations",
    "resources": "bookable_resources",
    "roles": "roles",
    "schedules": "schedules_of_rates",
    "telemetry": "telemetry",
    "users": "users",
    "visitors": "visitors",
    "webhooks": "webhooks",
    "work-orders": "work_orders",
}
IMPORTS = {"assets": "assets", "locations": "locations", "schedule-items": "schedules_of_rates"}
_MOST_FAULTS = 50


def _progress(*, known: bool) -> Progress:
    """On standard error, and only where somebody looks."""
    columns: list[Any] = [TextColumn("{task.description}")]
    if known:
        columns.append(BarColumn())
    columns += [DownloadColumn(), TransferSpeedColumn(), TimeElapsedColumn()]
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def _counted(chunks: Iterable[bytes], progress: Progress, description: str) -> Iterator[bytes]:
    task = progress.add_task(description, total=None)
    for chunk in chunks:
        progress.advance(task, len(chunk))
        yield chunk


@contextmanager
def _target(file: Path | None) -> Iterator[IO[bytes]]:
    if file is None:
        yield sys.stdout.buffer
    else:
        with replaced(file) as opened:
            yield opened


@click.command("export", cls=UserCommand, formats=())
@click.argument("kind", type=click.Choice(tuple(EXPORTS)), metavar="KIND")
@click.option(
    "--format",
    "format",
    type=click.Choice(["csv", "ndjson"]),
    help="What to write; that of the file's name, else csv.",
)
@click.option(
    "-o",
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file; it is replaced when all of it is there. Standard output, when absent.",
)
@click.option("--updated-after", type=Moment(), help="Changed then or later; not every kind can tell.")
def export(
    session: Session, kind: str, format: str | None, file: Path | None, updated_after: int | None
) -> None:
    """Write all records of a kind, as CSV or as one JSON object a line.

    \b
    KIND is one of alert-rules, alerts, api-keys, asset-types, assets,
    bookings, decks, events, forms, locations, quotations, resources,
    roles, schedules, telemetry, users, visitors, webhooks, work-orders.
    """
    chosen = format or ("ndjson" if file is not None and file.suffix in {".ndjson", ".jsonl"} else "csv")
    method = getattr(getattr(session.client, EXPORTS[kind]), f"export_{chosen}")
    more = {} if updated_after is None else {"updated_after": updated_after}
    if not more.keys() <= signature(method).parameters.keys():
        raise CommandError(f"{kind} can't be exported by the time of their change", USAGE)
    chunks = method(**more)
    looked_at = file is None and sys.stdout.isatty()
    size = 0
    with _progress(known=False) as progress, _target(file) as opened:
        for chunk in chunks if looked_at else _counted(chunks, progress, kind):
            size += len(chunk)
            opened.write(chunk)
        opened.flush()
    if file is not None:
        say(f"{file}: {size:,} bytes of {kind}")


class _Watched:
    """A file that tells how far it has been read."""

    def __init__(self, opened: IO[bytes], progress: Progress, task: Any) -> None:
        self._opened, self._progress, self._task = opened, progress, task

    def read(self, size: int = -1) -> bytes:
        piece = self._opened.read(size)
        self._progress.advance(self._task, len(piece))
        return piece

    def seekable(self) -> bool:
        return self._opened.seekable()

    def tell(self) -> int:
        return self._opened.tell()

    def seek(self, place: int) -> int:
        """The client sends it once more."""
        self._progress.update(self._task, completed=place)
        return self._opened.seek(place)


@click.command("import", cls=UserCommand)
@click.argument("kind", type=click.Choice(tuple(IMPORTS)))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--dry-run", is_flag=True, help="Only say what would happen and what is wrong.")
@click.option("--schedule", metavar="SCHEDULE", help="Of schedule-items: the schedule of rates.")
def import_(session: Session, kind: str, file: Path, *, dry_run: bool, schedule: str | None) -> None:
    """Read records from a CSV file; - is standard input. All rows are taken, or none is."""
    if (kind == "schedule-items") != (schedule is not None):
        raise click.UsageError("--schedule names the schedule of schedule-items, and is for these alone")
    report = to_dict(_uploaded(session, kind, file, dry_run=dry_run, schedule=schedule))
    faults = report["errors"]
    counts = f"{report['created']} new, {report['changed']} changed, {report['unchanged']} unchanged"
    said = f"{'dry run, ' if dry_run else ''}{report['rows']} rows: {counts}"
    session.output.record(report, said=said)
    if faults:
        told = [f"line {one['line']}: {one['field']} {one['message']}" for one in faults[:_MOST_FAULTS]]
        more = [f"… and {len(faults) - _MOST_FAULTS} more"] if len(faults) > _MOST_FAULTS else []
        raise CommandError(f"{file} has faults", REFUSED, *map(printable, told), *more)


def _uploaded(session: Session, kind: str, file: Path, *, dry_run: bool, schedule: str | None) -> Any:
    methods = getattr(session.client, IMPORTS[kind])
    with click.open_file(str(file), "rb") as opened, _progress(known=True) as progress:
        total = None if str(file) == "-" else file.stat().st_size
        task = progress.add_task(str(file), total=total)
        watched = cast("IO[bytes]", _Watched(opened, progress, task))
        if schedule is not None:
            return methods.import_items(schedule, watched, dry_run=dry_run)
        return methods.import_(watched, dry_run=dry_run)
