"""A statement of one tenant runs on that tenant's shard and on no other: the plans say so."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import asyncpg
from tests.plans.cases import cases
from tests.support.statements import all_statements

from steward.kit.db.connection import connect
from steward.kit.db.listing import LISTINGS
from steward.kit.db.sql import Row, Sql
from steward.kit.db.table_kinds import TableKind
from steward.kit.db.transaction import Database, Queries
from steward.kit.security.caller import TenantId
from steward.slices import TABLE_KINDS

_TYPES = "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = $1"
# Some value of each type, where that is no number; the first one of a statement is its tenant.
_SAMPLES = {"text": "org_1", "boolean": "true", "jsonb": "{}", "bytea": "", "tsquery": "a"}


async def test_a_statement_of_one_tenant_visits_one_shard(
    cluster_nodes: list[str], database_url: str
) -> None:
    await _visit_one_shard(database_url, _of_one_tenant())


async def test_a_page_reads_one_shard_with_any_filter(cluster_nodes: list[str], database_url: str) -> None:
    asked = _Asked()
    for listing in LISTINGS:
        for case in cases(listing, rows=1000):
            start = "x" if case.deep else None
            await listing.scan(
                cast("Database", asked), TenantId("org_1"), case.filters, start, 21, order=case.order
            )
    assert len(asked.statements) > len(LISTINGS)
    await _visit_one_shard(database_url, sorted(asked.statements))


class _Asked(Queries):
    """A database in which nothing is found."""

    def __init__(self) -> None:
        self.statements: set[Sql] = set()

    async def fetch(self, sql: Sql, *_values: Any) -> list[Row]:
        self.statements.add(sql)
        return []

    async def is_distributed(self) -> bool:
        return True


async def _visit_one_shard(url: str, statements: Sequence[str]) -> None:
    connection = await connect(url, seconds=60)
    visited = {}
    try:
        for number, statement in enumerate(statements):
            tasks = await _task_counts(connection, statement, f"planned_{number}")
            if max(tasks, default=0) > 1:
                visited[statement] = tasks
    finally:
        await connection.close()
    assert visited == {}


def _of_one_tenant() -> list[str]:
    """Those that read or write what is spread."""
    spread = {table for table, kind in TABLE_KINDS.items() if kind in (TableKind.TENANT, TableKind.HISTORY)}
    return sorted(
        statement
        for statement, across, _ in all_statements()
        if across is None and spread & set(re.findall(r"\w+", statement))
    )


async def _task_counts(connection: asyncpg.Connection, statement: str, name: str) -> list[int]:
    """Of the statement and of each part that is planned by itself."""
    await connection.execute(f"PREPARE {name} AS {statement}")
    types = await asyncpg.Connection.fetchval(connection, _TYPES, name)
    call = f"{name} ({', '.join(map(_sample, types))})" if types else name
    plan = await asyncpg.Connection.fetchval(connection, f"EXPLAIN (FORMAT JSON) EXECUTE {call}")
    return [value for key, value in _entries(json.loads(plan)) if key == "Task Count"]


def _sample(type: str) -> str:
    if type.endswith("[]"):
        return f"ARRAY[{_sample(type.removesuffix('[]'))}]::{type}"
    return f"'{_SAMPLES.get(type, 1)}'::{type}"


def _entries(part: Any) -> Iterator[tuple[str, Any]]:
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(value, dict | list):
            yield from _entries(value)
        else:
            yield str(key), value
