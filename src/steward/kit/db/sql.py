"""SQL is written as SQL, and every statement is registered where it is defined."""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any, NewType

# A statement that was defined by `sql`. The database accepts nothing else, so that the architecture tests see all of them.
Sql = NewType("Sql", str)

Row = Any  # asyncpg.Record: read by column name, or by position where a statement has few columns

# Every statement, with the reason if it may touch rows of several tenants.
ALL: dict[Sql, str | None] = {}

# Statements with a longer time limit, in seconds.
SECONDS: dict[Sql, int] = {}

# Statements that only a Citus cluster understands.
ONLY_DISTRIBUTED: set[Sql] = set()


def sql(
    text: str, *, across: str | None = None, seconds: int | None = None, only_distributed: bool = False
) -> Sql:
    """`seconds` is the time limit of a statement that may take longer than one of a request."""
    statement = Sql(text)
    ALL[statement] = across
    if only_distributed:
        ONLY_DISTRIBUTED.add(statement)
    if seconds is not None:
        SECONDS[statement] = seconds
    return statement


# Statements whose text is made when they are first needed.
LAZY: list[Callable[[], Sql]] = []


def lazy_sql(text: Callable[[], str], *, across: str | None = None) -> Callable[[], Sql]:
    """A statement made from what slices register, so after all of them are imported."""
    made = cache(lambda: sql(text(), across=across))
    LAZY.append(made)
    return made


class Statements:
    """Statements that are made when they are first needed: one for each set of filters or of changed columns.

    Callers choose the sets, so their number is bounded: the least recently used is dropped.
    """

    def __init__(self, most: int = 128) -> None:
        self._most = most
        self._known: dict[Hashable, Sql] = {}

    def get(self, name: Hashable, text: Callable[[], str]) -> Sql:
        known = self._known.pop(name, None) or sql(text())
        self._known[name] = known
        if len(self._known) > self._most:
            oldest = self._known.pop(next(iter(self._known)))
            ALL.pop(oldest, None)
        return known


def lines(texts: Iterable[str]) -> str:
    """A column of many rows as one parameter, for `string_to_array($n, E'\\n')`; no text may hold a line break.

    The driver checks each element of an array, which for thousands of rows is half of the cost.
    """
    return "\n".join(texts)
