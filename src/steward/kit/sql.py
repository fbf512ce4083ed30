"""SQL is written as SQL: each statement is known to the house from the moment it is defined."""

from typing import Any, NewType

# A statement that was defined by `sql`. The database takes nothing else, so that none escapes the house tests.
Sql = NewType("Sql", str)

Row = Any  # asyncpg.Record: read by column name, or by position where a statement has few columns

# Every statement in the program; where one may touch the rows of several tenants at once, the reason why.
ALL: dict[Sql, str | None] = {}


def sql(text: str, *, across: str | None = None) -> Sql:
    statement = Sql(text)
    ALL[statement] = across
    return statement
