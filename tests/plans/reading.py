"""What the pages of a list read, compared with what they may read."""

from collections.abc import Callable, Iterable

import msgspec
from tests.plans.cases import Case, cases
from tests.plans.crowd import LARGE, identifier, listings
from tests.plans.measuring import MeasuringDatabase, measuring

from steward.kit.db.bounds import CONTINUED_ROWS, SCANNED_ROWS
from steward.kit.db.listing import Listing
from steward.kit.db.listing.execute import expand
from steward.kit.db.listing.plan import IndexScan

Choice = Callable[[Listing, int], Iterable[Case]]

LIMIT = 21
# Two bounded scans, a continued one, and two scans of candidates; some pages may hold a row each.
MOST_ROWS = 2 * SCANNED_ROWS + CONTINUED_ROWS + 2 * 1001 + 500
# A recheck in some lists reads another table, too.
MOST_PAGES = 6000
# A page without rechecked rows.
MOST_PAGES_OF_INDEX_SCAN = 160


class PageReading(msgspec.Struct, frozen=True):
    case: str
    mode: str
    pages: int
    rows: int
    is_index_scan: bool

    @property
    def is_bounded(self) -> bool:
        most = MOST_PAGES_OF_INDEX_SCAN if self.is_index_scan else MOST_PAGES
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
    await listing.scan(db, LARGE, case.filters, start, LIMIT, order=case.order)
    taken = db.take()
    given = await expand(listing.declared, db, LARGE, case.filters)
    db.take()
    in_order = listing.plan(given, case.order).in_order
    is_index_scan = any(isinstance(scan, IndexScan) for scan in in_order) and len(taken) == 1
    return PageReading(
        str(case), mode, sum(one.pages for one in taken), sum(one.rows for one in taken), is_index_scan
    )
