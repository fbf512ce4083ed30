"""What stands in a backup."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

FORMAT = 1

# What is true of the processes that run over a database, and of nothing after they are gone.
LEFT_OUT: Mapping[str, str] = {
    "processes": "leases and signs of life",
    "rate_windows": "what callers have used of the present minute",
    # The contents name the files, and a restore applies them.
    "schema_migrations": "the files that made the schema",
}


class BackupError(Exception):
    """A backup can't be made or used; the message says why in one line."""


class KeyDerivation(msgspec.Struct, frozen=True, rename="camel"):
    """Argon2id, as RFC 9106 recommends it where memory is dear."""

    salt: bytes
    time_cost: int = 3
    memory_kib: int = 65_536
    lanes: int = 4


class Preamble(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """What anybody may read who has the file. It is part of what the passphrase seals, so that no word of it can be changed."""

    format: int = FORMAT
    steward: str
    # The last migration of the database.
    schema: int
    created: int
    key_derivation: KeyDerivation
    # Tells a wrong passphrase from a damaged file.
    passphrase_check: bytes


class DumpedTable(msgspec.Struct, frozen=True):
    name: str
    columns: list[str]


class DumpedPartition(msgspec.Struct, frozen=True):
    table: str
    name: str
    bounds: str


class Contents(msgspec.Struct, frozen=True, rename="camel"):
    """The first record: what follows, and the keys that open the secrets in it."""

    # The first seals; while the key is being changed, others open what they have sealed.
    secret_keys: list[bytes]
    migrations: list[str]
    # In the order in which they can be filled: what others refer to comes first.
    tables: list[DumpedTable]
    partitions: list[DumpedPartition]


class Totals(msgspec.Struct, frozen=True, rename="camel"):
    """The last record."""

    rows: dict[str, int]
    # Of each sequence the last number, None for one that has given none.
    sequences: dict[str, int | None]

    @property
    def all_rows(self) -> int:
        return sum(self.rows.values())


class OnProgress(Protocol):
    """Told now and then: what is being done, how many rows of how many expected, and how many bytes of the file."""

    def __call__(self, table: str, rows: int, expected: int, size: int) -> None: ...
