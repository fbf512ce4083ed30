"""What belongs into a backup, and which backups this code can bring back."""

import re
from collections.abc import Collection, Iterable, Mapping

from steward.operations.backup.model import LEFT_OUT, BackupError, DumpedTable

_MADE = re.compile(r"\bCREATE TABLE (\w+)|\bRENAME TO (\w+)")


def tables_ever_made(migrations: Iterable[str]) -> set[str]:
    """The names of all tables that the texts of migrations make, at any time."""
    return {made or renamed for text in migrations for made, renamed in _MADE.findall(text)}


def tables_to_dump(found: Iterable[DumpedTable], known: set[str]) -> tuple[list[DumpedTable], list[str]]:
    """Those that go into the backup, and the names of those that are none of ours."""
    wanted = [table for table in found if table.name not in LEFT_OUT]
    return (
        [table for table in wanted if table.name in known],
        [table.name for table in wanted if table.name not in known],
    )


def require_known_migrations(steward: str, applied: Iterable[str], known: Collection[str]) -> None:
    """Refuses a database that a newer version has migrated: this code would leave tables out that it doesn't know."""
    unknown = next((name for name in sorted(applied) if name not in known), None)
    if unknown is not None:
        raise BackupError(
            f"the database has {unknown}, which Steward {steward} doesn't know: "
            "back it up with the version that migrated it"
        )


def require_known_schema(steward: str, backed_up: Iterable[str], known: Mapping[int, str]) -> int:
    """The number of the last migration of a backup; refuses one that this code couldn't have written."""
    names = sorted(backed_up)
    ours = sorted(known.values())[: len(names)]
    if not names:
        raise BackupError("the backup is of a database without tables")
    if names != ours:
        unknown = next(name for name in names if name not in ours)
        raise BackupError(
            f"the backup was made by Steward {steward} and has {unknown}, which this version doesn't know: "
            "install that version, or a newer one"
        )
    return next(number for number, name in known.items() if name == names[-1])
