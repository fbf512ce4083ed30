"""Names all missing references of a record: the database's error names only the first."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

import asyncpg

from steward.kit.db.sql import Statements, sql
from steward.kit.db.transaction import Database
from steward.kit.security.caller import TenantId

# A foreign key is the tenant and one more column.
_REFERENCES = sql(
    """SELECT c.conname, mine.attname, c.confrelid::regclass::text, theirs.attname
       FROM pg_constraint c
       JOIN pg_attribute mine ON mine.attrelid = c.conrelid AND mine.attnum = c.conkey[2]
       JOIN pg_attribute theirs ON theirs.attrelid = c.confrelid AND theirs.attnum = c.confkey[2]
       WHERE c.conrelid = $1::text::regclass AND c.contype = 'f'
       ORDER BY c.conkey[2]""",
    across="the catalog has no tenants",
)
_LOOKUPS = Statements()

T = TypeVar("T")


class BrokenReferences(Exception):  # noqa: N818 (like the violation that it stands for)
    """All foreign keys that a record violates."""

    def __init__(self, constraint_names: list[str]) -> None:
        super().__init__(", ".join(constraint_names))
        self.constraint_names = constraint_names


async def report_broken_references(
    storing: Awaitable[T], db: Database, table: str, tenant: TenantId, columns: Mapping[str, Any]
) -> T:
    """Raises `BrokenReferences` if `storing` these columns violates a foreign key."""
    try:
        return await storing
    except asyncpg.ForeignKeyViolationError as error:
        await db.roll_back_failed()
        broken = [
            name
            for name, column, *target in await db.fetch(_REFERENCES, table)
            if not await _are_there(db, tenant, target, columns.get(column))
        ]
        if not broken:
            raise
        raise BrokenReferences(broken) from error


async def broken_references(
    db: Database, table: str, tenant: TenantId, values: Mapping[str, str | list[str]]
) -> list[str]:
    """The foreign keys of a table that these values would violate, by name. Several values are for several rows."""
    return [
        name
        for name, _, *target in await db.fetch(_REFERENCES, table)
        if not await _are_there(db, tenant, target, values.get(name))
    ]


async def _are_there(db: Database, tenant: TenantId, target: Sequence[str], values: Any) -> bool:
    """One value or a list of them; None names nothing."""
    each = values if isinstance(values, list) else [values]
    table, column = target
    lookup = _LOOKUPS.get(
        (table, column),
        lambda: f"SELECT 1 FROM {table} WHERE organization_id = $1 AND {column} = $2",  # noqa: S608 (names of the catalog)
    )
    return all([value is None or await db.fetchval(lookup, tenant, value) is not None for value in each])
