"""Functions that are one statement. The decorator holds the SQL, and the signature says the rest:

    @query("SELECT id FROM events WHERE organization_id = $1 AND type = $2 ORDER BY id LIMIT $3")
    async def ids_of_type(db: Database, tenant: TenantId, type: str, limit: int) -> list[str]: ...

The first parameter runs the statement, the others are its `$1`, `$2` and so on; a Struct stands for its fields. What is returned says
what becomes of the rows: `list[T]` and `set[T]` hold one for each, `dict[K, T]` has it by the first column; `T` is that of the first row,
and `T | None` lets there be none; `bool` is whether there is a row with something true, and `None` is for rows that don't matter. `T` is
a Struct or a named tuple of the columns in their order, a tuple of them (at its end perhaps a Struct of the rest), the `Row` itself, or
else the last column.
"""

import inspect
import re
from collections.abc import Awaitable, Callable
from functools import wraps
from operator import itemgetter
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.record_fields import loaders, record_of
from steward.kit.db.sql import Row as Row
from steward.kit.db.sql import Sql as Sql
from steward.kit.db.sql import lines as lines
from steward.kit.db.sql import sql as sql
from steward.kit.db.transaction import Database as Database
from steward.kit.db.transaction import Transaction as Transaction

F = TypeVar("F", bound=Callable[..., Awaitable[Any]])


def query(
    text: str, *, across: str | None = None, seconds: int | None = None, only_distributed: bool = False
) -> Callable[[F], F]:
    """Like `sql`, for the function below it, which has no body of its own."""
    statement = sql(text, across=across, seconds=seconds, only_distributed=only_distributed)

    def made(function: F) -> F:
        database, *names = inspect.signature(function).parameters
        hints = get_type_hints(function)
        values = _values([getattr(hints[name], "__struct_fields__", None) for name in names], text)
        result = _result(hints["return"])
        # asyncpg's own `fetch` prepares a statement each time.
        fetch = "run" if hints[database] is DatabaseConnection else "fetch"

        @wraps(function)
        async def ask(db: Any, *args: Any, **named: Any) -> Any:
            given = [*args, *[named[name] for name in names[len(args) :]]]
            return result(await getattr(db, fetch)(statement, *values(given)))

        return cast("F", ask)

    return made


def expiry(table: str, column: str) -> Callable[[Database, int], Awaitable[None]]:
    """The function that deletes the rows that have ended before a moment."""

    @query(
        f"DELETE FROM {table} WHERE {column} < $1",  # noqa: S608 (a table of ours)
        across=f"housekeeping takes every tenant's expired {table}",
    )
    async def delete(db: Database, now: int) -> None: ...

    return delete


def _values(spread: list[tuple[str, ...] | None], text: str) -> Callable[[list[Any]], list[Any]]:
    """What makes the values of a statement of what its function is given; `spread` are the fields of those that are Structs."""
    wanted = max(map(int, re.findall(r"\$(\d+)", text)), default=0)
    if wanted != sum(1 if fields is None else len(fields) for fields in spread):
        raise TypeError(f"the function has other parameters than its statement: {text}")
    if not any(spread):
        return list
    return lambda given: [
        value
        for each, fields in zip(given, spread, strict=True)
        for value in ((each,) if fields is None else [getattr(each, field) for field in fields])
    ]


_last = itemgetter(-1)
_WITHOUT_RECORDS: dict[Any, Callable[[list[Row]], Any]] = {
    NoneType: lambda _rows: None,
    bool: lambda rows: bool(rows and rows[0][0]),
    list[Row]: lambda rows: rows,
}


def _result(returned: Any) -> Callable[[list[Row]], Any]:
    """What the rows become, from the annotation of what is returned."""
    if returned in _WITHOUT_RECORDS:
        return _WITHOUT_RECORDS[returned]
    kind, parts = get_origin(returned), get_args(returned)
    if kind is dict:
        value = _of_row(parts[1])
        return dict if value is _last else lambda rows: {row[0]: value(row) for row in rows}
    if kind in (list, set):
        each = _of_row(parts[0])
        return lambda rows: kind(map(each, rows))
    if kind in (UnionType, Union):
        found = _of_row(next(part for part in parts if part is not NoneType))
        return lambda rows: found(rows[0]) if rows else None
    first = _of_row(returned)
    return lambda rows: first(rows[0])


def _of_row(wanted: Any) -> Callable[[Row], Any]:
    if wanted is Row:
        return lambda row: row
    if get_origin(wanted) is tuple:
        *values, last = get_args(wanted)
        rest = _of_row(last)
        return tuple if rest is _last else lambda row: (*row[: len(values)], rest(row[len(values) :]))
    if not isinstance(wanted, type) or not issubclass(wanted, msgspec.Struct | tuple):
        return _last
    if issubclass(wanted, msgspec.Struct):
        return record_of(wanted, loaders(wanted))
    return lambda row: wanted(*row)
