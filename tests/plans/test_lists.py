"""A page of every list reads a bounded number of rows, for every request and both kinds of plans.

The bound doesn't grow with the list, so that some ten thousand rows show what a million would; those are in `test_million.py`.
"""

from collections.abc import Iterator
from functools import partial

import pytest
from tests.plans.cases import Case, paired_cases, single_cases
from tests.plans.crowd import ABSENT, RARE_WORD, ROWS, listings
from tests.plans.measuring import MODES, measuring
from tests.plans.reading import LIMIT, MOST_ROWS, read_page, read_pages

from steward.assets.queries import LISTING as ASSETS
from steward.kit.db.listing import Listing
from steward.work_orders.queries import LISTING

pytestmark = pytest.mark.long


def _some(listing: Listing, rows: int) -> Iterator[Case]:
    yield from single_cases(listing, rows, ("", *listing.sorts))
    yield from paired_cases(listing, rows, values=1)


@pytest.mark.parametrize("table", sorted(listings()))
async def test_page_reads_a_bounded_number_of_rows(crowded_url: str, table: str) -> None:
    readings = await read_pages(crowded_url, table, ROWS, mode="force_generic_plan", choose=_some)
    readings += await read_pages(
        crowded_url, table, ROWS, mode="force_custom_plan", choose=partial(single_cases, sorts=("",))
    )
    assert [reading for reading in readings if not reading.is_bounded] == []


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("sort", ["", "updated", "name"])
async def test_scan_ends_when_the_page_is_full(crowded_url: str, mode: str, sort: str) -> None:
    order = ASSETS.orders[sort] if sort else None
    async with measuring(crowded_url, mode) as db:
        page = await read_page(db, ASSETS, Case({"archived: off": False}, order), mode, ROWS)
    assert page.rows < 10 * LIMIT


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("index", "filters"),
    [("work_orders_by_status", {"status": ABSENT}), ("work_orders_search", {"q": RARE_WORD})],
)
async def test_without_its_index_the_plan_check_fails(
    crowded_url: str, mode: str, index: str, filters: dict[str, str]
) -> None:
    async with measuring(crowded_url, mode) as db:
        whole = await read_page(db, LISTING, Case(filters), mode, ROWS)
        await db.drop_index(index)
        without = await read_page(db, LISTING, Case(filters), mode, ROWS)
    assert whole.is_bounded
    assert not without.is_bounded
    assert without.rows > MOST_ROWS or without.pages > 10 * whole.pages
