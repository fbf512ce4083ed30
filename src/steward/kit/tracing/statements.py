"""A span for each statement within a trace. Statements outside of one, such as heartbeats, have none."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import asyncpg
from opentelemetry import trace
from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from steward.kit.db.connection import DatabaseConnection
from steward.kit.db.sql import Row, Sql
from steward.kit.tracing.spans import TRACER, fail

_MAX_TEXT = 4000
# What a statement does: the first table that it writes, or else the first that it reads.
# Locks (FOR UPDATE) and what is done on a conflict (DO UPDATE SET) write nothing by that name.
_WRITES = re.compile(
    r"(?<!\bFOR )(?<!\bFOR NO KEY )(?<!\bDO )\b(INSERT INTO|UPDATE|DELETE FROM) (?:ONLY )?(\w+)"
)
# Neither functions, nor `IS DISTINCT FROM`.
_READS = re.compile(r"(?<!\bDISTINCT )\b(?:FROM|JOIN) (?:ONLY )?(?!LATERAL\b)([a-z_]+)\b(?! *\()")
# What a statement calls by a name of its own is no table.
_CTES = re.compile(r"\b([a-z_]+) (?:\([^()]*\) )?AS (?:NOT )?(?:MATERIALIZED )?\(")


class TracedConnection(DatabaseConnection):
    __slots__ = ()

    async def run(self, sql: Sql, *args: Any) -> list[Row]:
        with _span(str(sql)):
            return await super().run(sql, *args)

    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:
        """BEGIN, COMMIT and the like."""
        with _span(query):
            return await super().execute(query, *args, timeout=timeout)


@contextmanager
def _span(query: str) -> Iterator[None]:
    if not trace.get_current_span().is_recording():
        yield
        return
    name, attributes = described(query)
    span = TRACER.start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
    try:
        yield
    except BaseException as error:
        fail(span, error)
        if isinstance(error, asyncpg.PostgresError):
            span.set_attribute("db.response.status_code", error.sqlstate or "")
        raise
    finally:
        span.end()


@lru_cache(maxsize=2048)
def described(query: str) -> tuple[str, dict[str, AttributeValue]]:
    """The name and the attributes of a statement; its values are parameters and don't appear."""
    text = " ".join(query.split())
    if written := _WRITES.search(text):
        operation, table = written[1].partition(" ")[0], written[2]
    else:
        operation = re.split(r"\W", text.lstrip("( "), maxsplit=1)[0].upper()
        operation = "SELECT" if operation == "WITH" else operation
        table = _first_read(text) if operation == "SELECT" else ""
    summary = f"{operation} {table}".strip()
    attributes: dict[str, AttributeValue] = {
        "db.system.name": "postgresql",
        "db.operation.name": operation,
        "db.query.summary": summary,
        "db.query.text": text[:_MAX_TEXT],
    }
    if table:
        attributes["db.collection.name"] = table
    return summary, attributes


def _first_read(text: str) -> str:
    own = set(_CTES.findall(text))
    return next((name for name in _READS.findall(text) if name not in own), "")
