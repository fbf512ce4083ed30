"""Reads sealed columns in the order of their keys, so that an interrupted run can start again safely."""

from collections.abc import AsyncIterator, Mapping

import msgspec

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.sql import Sql, sql
from steward.operations.secrets.model import SEALED, SealedColumn, SealedValue

_WHY = "the secret key is that of the whole deployment"
_AT_ONCE = 500


class _Statements(msgspec.Struct, frozen=True):
    read: Sql
    write: Sql


def _statements(sealed: SealedColumn) -> _Statements:
    key, count = ", ".join(sealed.key), len(sealed.key)
    after = ", ".join(f"${number}::text" for number in range(1, count + 1))
    named = " AND ".join(f"{column} = ${number}" for number, column in enumerate(sealed.key, start=1))
    return _Statements(
        sql(
            f"""SELECT {key}, {sealed.column} FROM {sealed.table}
                WHERE ({key}) > ({after}) AND {sealed.column} IS NOT NULL ORDER BY {key} LIMIT ${count + 1}""",
            across=_WHY,
        ),
        # A concurrent change has sealed it with the new key already.
        sql(
            f"UPDATE {sealed.table} SET {sealed.column} = ${count + 2} WHERE {named} AND {sealed.column} = ${count + 1}",
            across=_WHY,
        ),
    )


_STATEMENTS: Mapping[SealedColumn, _Statements] = {sealed: _statements(sealed) for sealed in SEALED}


async def sealed_values(connection: DatabaseConnection, sealed: SealedColumn) -> AsyncIterator[SealedValue]:
    """All of a column, a few at a time."""
    last: tuple[str, ...] = ("",) * len(sealed.key)
    while rows := await connection.run(_STATEMENTS[sealed].read, *last, _AT_ONCE):
        for row in rows:
            yield SealedValue(tuple(row)[:-1], sealed.purpose or row[0], row[-1])
        last = tuple(rows[-1])[:-1]


async def replace(
    connection: DatabaseConnection, sealed: SealedColumn, value: SealedValue, new: bytes
) -> None:
    await connection.run(_STATEMENTS[sealed].write, *value.key, value.sealed, new)
