from collections.abc import Iterable, Sequence

from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.sor_schedules.items.model import Item

ITEMS = Table("sor_items", Item, "item", searched=("code", "description"), parent="schedule_id")
LISTING = Listing(
    "sor_items", json_columns(Item), filters={"code": "code = {}", "q": SEARCH}, parent="schedule_id"
)

_COLUMNS = ", ".join(ITEMS.fields)
_BY_ID = sql(
    f"SELECT {_COLUMNS} FROM sor_items WHERE organization_id = $1 AND schedule_id = $2 AND id = ANY($3)"
)
_TAKEN_CODES = sql(
    "SELECT code FROM sor_items WHERE organization_id = $1 AND schedule_id = $2 AND code = ANY($3::text[])"
)


async def by_id(db: Database, tenant: TenantId, schedule_id: str, item_ids: Iterable[str]) -> dict[str, Item]:
    """Those of the items that this schedule holds."""
    rows = await db.fetch(_BY_ID, tenant, schedule_id, sorted(set(item_ids)))
    return {item.id: item for item in map(ITEMS.load, rows)}


async def taken_codes(db: Database, tenant: TenantId, schedule_id: str, codes: Sequence[str]) -> set[str]:
    return {row[0] for row in await db.fetch(_TAKEN_CODES, tenant, schedule_id, codes)}
