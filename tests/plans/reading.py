"""What the pages of a list read, held against what they may."""

from collections.abc import Callable, Iterable

import msgspec
from tests.plans.cases import Case, cases
from tests.plans.crowd import LARGE, identifier, listings
from tests.plans.measuring import MeasuringDatabase, measuring

from steward.kit.db.page_ways import LONG_STRETCH, STRETCH, find_ways
from steward.kit.db.pagination import Listing

Choice = Callable[[Listing, int], Iterable[Case]]

_LIMIT = 21
# Two first stretches, the second one, and two lists of candidates; some pages may hold a row each.
MOST_ROWS = 2 * STRETCH + LONG_STRETCH + 2 * 1001 + 500
# A look at a row of some lists is a look into another table, too.
MOST_PAGES = 6000
# A page that has no row to pass over.
MOST_PAGES_OF_WALK = 160


class PageReading(msgspec.Struct, frozen=True):
    case: str
    mode: str
    pages: int
    rows: int
    is_walk: bool

    @property
    def is_bounded(self) -> bool:
        most = MOST_PAGES_OF_WALK if self.is_walk else MOST_PAGES
        return self.pages <= most and self.rows <= MOST_ROWS


async def read_pages(
    url: str, table: str, rows: int, *, mode: str, choose: Choice = cases
) -> list[PageReading]:
    """Every page that the table's lists can be asked for, or some of them."""
    async with measuring(url, mode) as db:
        return [
            await read_page(db, listing, case, mode, rows)
            for listing in listings()[table]
            for case in choose(listing, rows)
        ]


async def read_page(db: MeasuringDatabase, listing: Listing, case: Case, mode: str, rows: int) -> PageReading:
    start = None
    if case.deep:
        start = await db.constant(identifier(listing.name, str(rows // 2)))
    await listing.stretch(db, LARGE, case.filters, start, _LIMIT, order=case.order)
    taken = db.take()
    index = listing._order_index(case.order)
    given = await listing.conditions.expanded(db, LARGE, case.filters)
    db.take()
    ways = find_ways(listing.conditions, given, tuple(listing._parent), index)
    is_walk = ways.whole is not None and len(taken) == 1
    return PageReading(
        str(case), mode, sum(one.pages for one in taken), sum(one.rows for one in taken), is_walk
    )
