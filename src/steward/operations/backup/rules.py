"""What belongs into a backup, and which databases and backups this code can handle."""

import re
from collections.abc import Collection, Iterable

from steward.operations.backup.model import BackupError, BackupManifest

_MADE = re.compile(r"\bCREATE (?:UNLOGGED )?(?:TABLE|SEQUENCE) (\w+)|\bRENAME TO (\w+)")
_PLAIN_NAME = re.compile(r"\w+")


def names_ever_made(migrations: Iterable[str]) -> set[str]:
    """All tables and sequences that the texts of migrations make, at any time."""
    names = {made or renamed for text in migrations for made, renamed in _MADE.findall(text)}
    return {*names, "schema_migrations"}


def require_known_migrations(steward: str, applied: Iterable[str], known: Collection[str]) -> None:
    """Refuses a database that a newer version has migrated: this code would leave tables out that it doesn't know."""
    unknown = next((name for name in sorted(applied) if name not in known), None)
    if unknown is not None:
        raise BackupError(
            f"the database has {unknown}, which Steward {steward} doesn't know: "
            "back it up with the version that migrated it"
        )


def require_restorable(manifest: BackupManifest, known: Collection[str]) -> None:
    """Refuses a backup of a newer version."""
    unknown = next((name for name in sorted(manifest.migrations) if name not in known), None)
    if unknown is not None:
        raise BackupError(
            f"the backup was made by Steward {manifest.steward} and has {unknown}, which this version doesn't know: "
            "install that version, or a newer one"
        )
    if not all(map(_PLAIN_NAME.fullmatch, manifest.rows)):
        raise BackupError("the manifest of the backup names tables that can't be ours")


def require_fitting_server(manifest: BackupManifest, server: int, schema: str | None) -> None:
    if manifest.postgres > server:
        raise BackupError(
            f"the backup is of PostgreSQL {manifest.postgres} and this server is PostgreSQL {server}: a dump can only be "
            f"restored into the same major version or a newer one"
        )
    if manifest.schema != schema:
        raise BackupError(
            f"the tables of the backup are in the schema {manifest.schema}, and this connection's search_path begins with "
            f"{schema or 'a schema that does not exist'}"
        )
