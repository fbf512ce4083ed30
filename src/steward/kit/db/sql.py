"""SQL is written as SQL: each statement is known to the house from the moment it is defined."""

from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any, NewType

# A statement that was defined by `sql`. The database takes nothing else, so that none escapes the house tests.
Sql = NewType("Sql", str)

Row = Any  # asyncpg.Record: read by column name, or by position where a statement has few columns

# Every statement in the program; where one may touch the rows of several tenants at once, the reason why.
ALL: dict[Sql, str | None] = {}

# Those that may take longer than others, and how many seconds.
SECONDS: dict[Sql, int] = {}

# Those that only a sharded server understands.
ONLY_DISTRIBUTED: set[Sql] = set()


def sql(
    text: str, *, across: str | None = None, seconds: int | None = None, only_distributed: bool = False
) -> Sql:
    """`seconds` for a statement that goes over much and may therefore take longer than one of a request."""
    statement = Sql(text)
    ALL[statement] = across
    if only_distributed:
        ONLY_DISTRIBUTED.add(statement)
    if seconds is not None:
        SECONDS[statement] = seconds
    return statement


# Those whose text is made when they are first needed.
LAZY: list[Callable[[], Sql]] = []


def lazy_sql(text: Callable[[], str], *, across: str | None = None) -> Callable[[], Sql]:
    """A statement that is made of what slices register, and so can't be made before all of them are loaded."""
    made = cache(lambda: sql(text(), across=across))
    LAZY.append(made)
    return made


class Statements:
    """Statements that are made when they are first needed: one for each set of filters or of changed columns.

    Which sets there are is up to callers, so that their number has a bound: the one that was not used for longest goes.
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

    The driver looks at each element of an array from all sides. Where rows come by the thousand, that is half of their cost.
    """
    return "\n".join(texts)
