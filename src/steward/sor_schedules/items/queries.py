from collections.abc import Iterable

from steward.kit.db import search
from steward.kit.db.listing import SEARCH, Filter, Listing, Sort
from steward.kit.db.query import Database, query, sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.sor_schedules.items.model import RateItem

ITEMS = Table("sor_items", RateItem, "item", searched=("code", "description"), parent="schedule_id")
LISTING = Listing(
    ITEMS,
    filters={"code": Filter("code = {}", unique=True), "q": SEARCH},
    sorts={"code": Sort("code", "text", unique=True)},
)

_OF_SCHEDULE = f"{ITEMS.of_tenant} AND schedule_id = $2"
_BY_ID = sql(f"{_OF_SCHEDULE} AND id = ANY($3)")
_BY_CODE = sql(f"{_OF_SCHEDULE} AND code = ANY($3::text[])")
_FIRST = sql(f"{_OF_SCHEDULE} ORDER BY code LIMIT $3")
_SEARCHED = sql(
    f"""{_OF_SCHEDULE}
        AND search_grams @> $4::bigint[] AND search_text LIKE ALL ($5::text[]) ORDER BY code LIMIT $3"""
)


@query(f"{_OF_SCHEDULE} ORDER BY id")
async def all_of(db: Database, tenant: TenantId, schedule_id: str) -> list[RateItem]: ...


async def by_id(
    db: Database, tenant: TenantId, schedule_id: str, item_ids: Iterable[str]
) -> dict[str, RateItem]:
    """Those of the items that are in this schedule."""
    rows = await db.fetch(_BY_ID, tenant, schedule_id, sorted(set(item_ids)))
    return {item.id: item for item in map(ITEMS.load, rows)}


async def by_code(
    db: Database, tenant: TenantId, schedule_id: str, codes: Iterable[str]
) -> dict[str, RateItem]:
    rows = await db.fetch(_BY_CODE, tenant, schedule_id, sorted(set(codes)))
    return {item.code: item for item in map(ITEMS.load, rows)}


async def find(db: Database, tenant: TenantId, schedule_id: str, text: str, limit: int) -> list[RateItem]:
    """By code: items that contain every word; the first ones without a search text."""
    if search.is_searchable(text):
        rows = await db.fetch(_SEARCHED, tenant, schedule_id, limit, *search.query(tenant, text))
    else:
        rows = await db.fetch(_FIRST, tenant, schedule_id, limit)
    return [ITEMS.load(row) for row in rows]
