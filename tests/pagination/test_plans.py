"""The cost of a page grows neither with its depth nor with the size of other tenants: PostgreSQL's own count of pages read.

200,000 rows of a large tenant stand beside 2,000 of a small one.
"""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest
from tests.support.databases import database_named

from steward.kit.db import search
from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Pool
from steward.kit.db.sql import Row, Sql
from steward.kit.domain.ids import AFTER_ALL
from steward.kit.http.decoding import convert_query
from steward.kit.security.caller import TenantId
from steward.kit.security.encryption import Encryption
from steward.wiring.schema import migrate
from steward.work_orders.model import WorkOrderQuery
from steward.work_orders.queries import LISTING, LOOKUP

LARGE, SMALL = TenantId("org_large"), TenantId("org_small")
_ROWS = {LARGE: 200_000, SMALL: 2_000}
# Every hundredth is critical, so that a filter has something to skip.
_FILL = """
    INSERT INTO work_orders (organization_id, id, number, title, status, priority, created, updated, search_text, search_grams)
    SELECT $1, 'wo_' || lpad(n::text, 28, '0'), n, 'Order ' || n, 'Open',
           CASE WHEN n % 100 = 0 THEN 'Critical' ELSE 'Low' END, n, n, 'order ' || n, $3::bigint[]
    FROM generate_series(1, $2::bigint) n"""


@pytest.fixture(scope="module")
def crowded_url(database_url: str) -> Iterator[str]:
    asyncio.run(_fill(database_url))
    yield database_named(database_url, "crowded")
    asyncio.run(_drop(database_url))


@pytest.fixture
async def crowded(crowded_url: str):
    connection = await asyncpg.connect(crowded_url)
    yield connection
    await connection.close()


async def _drop(database_url: str) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute("DROP DATABASE crowded WITH (FORCE)")
    await admin.close()


async def _fill(database_url: str) -> None:
    admin = await asyncpg.connect(database_url)
    await admin.execute("DROP DATABASE IF EXISTS crowded")
    await admin.execute("CREATE DATABASE crowded")
    await admin.close()
    url = database_named(database_url, "crowded")
    await migrate(url)
    connection = await asyncpg.connect(url)
    for tenant, rows in _ROWS.items():
        await connection.execute("INSERT INTO organizations VALUES ($1, 'x', 'Enterprise', 1, 1)", tenant)
        await connection.execute(_FILL, tenant, rows, search.grams(tenant, "order"))
    await connection.execute("VACUUM (ANALYZE) work_orders")
    await connection.close()


async def _pages_read(connection: Any, tenant: TenantId, filters: dict[str, Any], before: str) -> int:
    uses = LISTING._filters.uses(filters)
    values = LISTING._filters.parameters(tenant, filters, uses)
    statement: str = LISTING._statement(uses)
    for number, value in reversed(list(enumerate([tenant, before, 21, *values], start=1))):
        literal = await connection.fetchval("SELECT quote_literal($1::text)", _text(value))
        statement = statement.replace(f"${number}", literal)
    plan = await connection.fetch(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}")
    top = json.loads(plan[0][0])[0]["Plan"]
    return int(top["Shared Hit Blocks"] + top["Shared Read Blocks"])


def _text(value: Any) -> str:
    return "{" + ",".join(str(part) for part in value) + "}" if isinstance(value, list) else str(value)


FILTERS: list[dict[str, Any]] = [
    {},
    {"status": "Open"},
    {"priority": "Critical"},
    {"status": "Open", "priority": "Critical"},
    {"status": ["InProgress", "OnHold", "Open"]},
    {"priority": ["Critical", "High"]},
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
async def test_a_deep_page_costs_what_the_first_does(crowded: Any, filters: dict[str, Any]) -> None:
    first = await _pages_read(crowded, LARGE, filters, AFTER_ALL)
    deep = await _pages_read(crowded, LARGE, filters, "wo_" + "5000".rjust(28, "0"))
    assert deep <= first + 10
    assert first < 150


@pytest.mark.parametrize("filters", [*FILTERS, {"q": "order"}, {"updated_after": 1900}], ids=str)
async def test_a_large_neighbour_costs_nothing(crowded: Any, filters: dict[str, Any]) -> None:
    assert await _pages_read(crowded, SMALL, filters, AFTER_ALL) < 250


async def test_a_search_that_finds_nothing_reads_next_to_nothing(crowded: Any) -> None:
    assert await _pages_read(crowded, LARGE, {"q": "zzzz"}, AFTER_ALL) < 20


class _ReadingPool(Pool):
    """Knows which statements it has run."""

    def __init__(self, url: str) -> None:
        super().__init__(url, 1)
        self.statements: list[str] = []

    async def fetch(self, sql: Sql, *args: Any) -> list[Row]:
        self.statements.append(sql)
        return await super().fetch(sql, *args)


async def _found(pool: Pool, q: str) -> list[str]:
    query = convert_query(WorkOrderQuery, {"q": q, "limit": "3"})
    page = await LISTING.page(pool, Cursors(Encryption(bytes(32))), LARGE, query)
    return [json.loads(item)["title"] for item in page.items]


async def test_a_word_that_many_have_is_found_among_the_newest(crowded_url: str) -> None:
    pool = _ReadingPool(crowded_url)
    try:
        assert await _found(pool, "order") == ["Order 200000", "Order 199999", "Order 199998"]
        assert ["search_grams" in statement for statement in pool.statements] == [False]
        picked = await LOOKUP.search(pool, LARGE, "order", 2)
        assert [found.label for found in picked] == ["Order 200000", "Order 199999"]
        assert ["search_grams" in statement for statement in pool.statements] == [False, False]
    finally:
        await pool.close()


async def test_a_word_that_only_old_records_have_is_found_all_the_same(
    crowded_url: str, crowded: Any
) -> None:
    await crowded.execute(
        """UPDATE work_orders SET title = 'Pump', search_text = 'pump', search_grams = $2
           WHERE organization_id = $1 AND number IN (7, 8)""",
        LARGE,
        search.grams(LARGE, "pump"),
    )
    pool = _ReadingPool(crowded_url)
    try:
        assert await _found(pool, "pump") == ["Pump", "Pump"]
        assert len(await LOOKUP.search(pool, LARGE, "pump", 12)) == 2
    finally:
        await pool.close()
