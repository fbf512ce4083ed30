"""The longest list with a million rows in one tenant, on each server that is here, under both ways of planning."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.plans.cases import cases
from tests.plans.crowd import fill_all, listings
from tests.plans.measuring import MODES
from tests.plans.reading import read_pages
from tests.plans.servers import programs_of, running_server
from tests.support.processes import temporary_postgres

pytestmark = pytest.mark.long

# Of which the large tenant has a million.
_MANY = 1_200_000
# The others are as long as it takes to tell bounded work from one that isn't.
_FEWER = 60_000
_LARGEST = "work_orders"
_ROWS = {table: _MANY if table == _LARGEST else _FEWER for table in sorted(listings())}


@pytest.fixture(scope="module", params=["embedded", "15"])
def million_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "embedded":
        with temporary_postgres(tmp_path_factory.mktemp("million")) as server:
            fill_all(server.url, _ROWS)
            yield server.url
        return
    programs: Path | None = programs_of(int(request.param))
    if programs is None:
        pytest.skip(f"PostgreSQL {request.param} isn't installed here")
    with running_server(programs) as url:
        fill_all(url, _ROWS)
        yield url


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("table", sorted(listings()))
async def test_a_page_is_bounded_work(million_url: str, table: str, mode: str) -> None:
    readings = await read_pages(million_url, table, _ROWS[table], mode=mode, choose=cases)
    assert [reading for reading in readings if not reading.is_bounded] == []
