"""Short pages lead to the same records in the end, and searches find them."""

from typing import Any

import pytest
from tests.plans.crowd import ABSENT, COMMON_WORD, LARGE, OFTEN, OLD_WORD, RARE, RARE_WORD, ROWS
from tests.plans.measuring import MODES, MeasuringDatabase, measuring
from tests.plans.reading import MOST_PAGES

from steward.kit.db.bounds import CANDIDATES, SCANNED_ROWS
from steward.kit.db.lookup import LOOKUPS, Lookup
from steward.work_orders.queries import LISTING, LOOKUP

pytestmark = pytest.mark.long

_OF_LARGE = f"FROM work_orders WHERE organization_id = '{LARGE}'"


async def _read_all(
    db: MeasuringDatabase, filters: dict[str, Any], sort: str | None
) -> tuple[list[str], int]:
    """The identifiers on all pages, and the number of short pages."""
    order = None if sort is None else LISTING.orders[sort]
    found: list[str] = []
    place, short = None, 0
    while True:
        page = await LISTING.scan(db, LARGE, filters, place, 101, order=order)
        found += [row[0] for row in page.rows]
        place = page.reached
        if len(page.rows) == 101:
            last = page.rows[-1]
            place = last[0] if order is None else [last[2], last[0]]
        elif place is None:
            return found, short
        else:
            short += 1


@pytest.mark.parametrize("sort", [None, "updated", "-slaResolutionDeadline"])
@pytest.mark.parametrize(
    ("filters", "condition"),
    [
        ({"q": OLD_WORD}, f"search_text LIKE '%{OLD_WORD}%'"),
        ({"q": OLD_WORD, "status": OFTEN}, f"search_text LIKE '%{OLD_WORD}%' AND status = '{OFTEN}'"),
        ({"updated_after": ROWS - 5000}, f"updated >= {ROWS - 5000}"),
        ({"asset_id": OFTEN, "location_id": OFTEN}, "false"),
        ({"asset_id": RARE, "location_id": [RARE, ABSENT]}, f"asset_id = '{RARE}'"),
        (
            {"priority": [OFTEN, RARE], "q": OLD_WORD},
            f"priority <> 'other' AND search_text LIKE '%{OLD_WORD}%'",
        ),
    ],
)
async def test_all_pages_together_are_the_list(
    crowded_url: str, filters: dict[str, Any], condition: str, sort: str | None
) -> None:
    key = {
        None: "id DESC",
        "updated": "updated, id",
        "-slaResolutionDeadline": "coalesce(sla_resolution_deadline, 9223372036854775807) DESC, id DESC",
    }
    async with measuring(crowded_url, "auto") as db:
        wanted = await db.constant(f"array_agg(id ORDER BY {key[sort]}) {_OF_LARGE} AND {condition}")
        found, _ = await _read_all(db, filters, sort)
    assert found == (wanted or [])


async def test_a_page_with_few_matches_is_short(crowded_url: str) -> None:
    async with measuring(crowded_url, "auto") as db:
        _, short = await _read_all(db, {"updated_after": ROWS // 2}, None)
    assert short > 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("word", [COMMON_WORD, OLD_WORD, RARE_WORD, "nowhere", ""])
@pytest.mark.parametrize("lookup", LOOKUPS, ids=lambda lookup: lookup.kind)
async def test_search_reads_a_bounded_number_of_rows(
    crowded_url: str, lookup: Lookup, word: str, mode: str
) -> None:
    async with measuring(crowded_url, mode) as db:
        await lookup.find(db, LARGE, word, 12)
        readings = db.take()
    assert sum(reading.rows for reading in readings) <= SCANNED_ROWS + 2 * CANDIDATES
    assert sum(reading.pages for reading in readings) <= MOST_PAGES


async def test_word_is_found_in_new_and_old_records(crowded_url: str) -> None:
    async with measuring(crowded_url, "auto") as db:
        newest = await db.constant(f"max(id) {_OF_LARGE}")
        assert (await LOOKUP.search(db, LARGE, COMMON_WORD, 3))[0].id == newest
        assert len(await LOOKUP.search(db, LARGE, OLD_WORD, 12)) == 12
        rare = await db.constant(
            f"array_agg(id ORDER BY id DESC) {_OF_LARGE} AND search_text LIKE '%{RARE_WORD}'"
        )
        assert [found.id for found in await LOOKUP.search(db, LARGE, RARE_WORD, 12)] == rare
