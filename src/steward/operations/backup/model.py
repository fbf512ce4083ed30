"""What a backup holds."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

FORMAT = 1
MEBIBYTE = 1 << 20

# The members of the archive. The dump is cut into parts, since tar wants to know the size of a member before its content.
README = "README.txt"
MANIFEST = "manifest.json"
KEYS = "secret.key"
DATABASE = "database/"

# Tables whose rows are true only while the processes run that wrote them.
WITHOUT_ROWS: Mapping[str, str] = {
    "processes": "leases and heartbeats",
    "rate_windows": "requests of the current minute",
}


class BackupError(Exception):
    """A backup can't be written or restored; the message says why in one line."""


class BackupManifest(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    format: int = FORMAT
    steward: str
    created: int
    migrations: list[str]
    # Major versions of the server and of pg_dump, which decide where the dump can be restored.
    postgres: int
    pg_dump: int
    # The PostgreSQL schema of the tables.
    schema: str
    # Whether the tables were distributed over a Citus cluster.
    distributed: bool
    rows: dict[str, int]

    @property
    def all_rows(self) -> int:
        return sum(self.rows.values())


class OnProgress(Protocol):
    """Called often: how far it is, in words and as a part of what is expected."""

    def __call__(self, words: str, done: int, expected: int) -> None: ...
