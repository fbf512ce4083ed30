"""One table after the other with a million rows of one tenant, on each server that is here, under both ways of planning:
what the pages of its lists read, and what idle jobs do.

`make test-long` takes the longest list, `make test-million` all of them.
"""

import asyncio
import os
from collections.abc import Iterator

import asyncpg
import pytest
from tests.plans.crowd import fill, fill_all, large_tables, listings
from tests.plans.jobs import MOST_PAGES, read_by_idle_jobs
from tests.plans.measuring import MODES
from tests.plans.reading import read_pages
from tests.plans.servers import programs_of, running_server
from tests.support.launching import temporary_postgres

pytestmark = pytest.mark.long

# Of which the large tenant has a million.
_MANY = 1_200_000
# The others are as long as it takes to tell bounded work from one that isn't.
_FEWER = 24_000
_TABLES = large_tables() if os.environ.get("STEWARD_TEST_MILLIONS") == "all" else ["work_orders"]


# Of a wider scope than tables, so that each server is started once.
@pytest.fixture(scope="package", params=["embedded", "15"])
def server_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    rows = dict.fromkeys(large_tables(), _FEWER)
    if request.param == "embedded":
        with temporary_postgres(tmp_path_factory.mktemp("million"), fsync="off") as server:
            fill_all(server.url, rows)
            yield server.url
        return
    programs = programs_of(int(request.param))
    if programs is None:
        pytest.skip(f"PostgreSQL {request.param} is not installed: make server")
    with running_server(programs) as url:
        fill_all(url, rows)
        yield url


@pytest.fixture(scope="module", params=_TABLES)
def large_table(request: pytest.FixtureRequest, server_url: str) -> Iterator[str]:
    asyncio.run(_fill(server_url, request.param, _MANY))
    yield request.param
    asyncio.run(_fill(server_url, request.param, _FEWER))


async def _fill(url: str, table: str, rows: int) -> None:
    connection = await asyncpg.connect(url)
    await fill(connection, table, rows)
    await connection.close()


@pytest.mark.parametrize("mode", MODES)
async def test_pages_and_idle_jobs_stay_within_their_read_budget(
    server_url: str, large_table: str, mode: str
) -> None:
    pages = await read_pages(server_url, large_table, _MANY, mode=mode) if large_table in listings() else []
    assert [page for page in pages if not page.is_bounded] == []
    jobs = await read_by_idle_jobs(server_url, mode)
    assert {name: read for name, read in jobs.items() if read > MOST_PAGES} == {}
