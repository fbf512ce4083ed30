import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.visitors.model import Visitor
from steward.visitors.queries import ARRIVAL, VISITORS

_VISITORS = f"""SELECT {", ".join(VISITORS.fields)} FROM visitors
    WHERE organization_id = $1 AND ($2::text[] IS NULL OR location_id = ANY ($2))
      AND ($3::bigint[] IS NULL OR (search_grams @> $3 AND search_text LIKE ALL ($4::text[])))"""

_EXPECTED = sql(
    f"""{_VISITORS} AND status = 'Registered' AND {ARRIVAL} >= $6 AND {ARRIVAL} < $7
        ORDER BY {ARRIVAL}, id LIMIT $5"""
)
_ON_SITE = sql(f"{_VISITORS} AND status = 'CheckedIn' ORDER BY checked_in_at DESC LIMIT $5")
_LEFT = sql(
    f"""{_VISITORS} AND status = 'CheckedOut' AND checked_out_at >= $6 AND checked_out_at < $7
        ORDER BY checked_out_at DESC, id DESC LIMIT $5"""
)


class Narrowing(msgspec.Struct, frozen=True):
    """Only visitors at these places, and with these words in name or company; None: all of them."""

    location_ids: list[str] | None = None
    grams: list[int] | None = None
    words: list[str] | None = None


async def expected(
    db: Database, tenant: TenantId, to: Narrowing, limit: int, *, start: int, end: int
) -> list[Visitor]:
    rows = await db.fetch(_EXPECTED, tenant, to.location_ids, to.grams, to.words, limit, start, end)
    return [VISITORS.load(row) for row in rows]


async def on_site(db: Database, tenant: TenantId, to: Narrowing, limit: int) -> list[Visitor]:
    rows = await db.fetch(_ON_SITE, tenant, to.location_ids, to.grams, to.words, limit)
    return [VISITORS.load(row) for row in rows]


async def left(
    db: Database, tenant: TenantId, to: Narrowing, limit: int, *, start: int, end: int
) -> list[Visitor]:
    rows = await db.fetch(_LEFT, tenant, to.location_ids, to.grams, to.words, limit, start, end)
    return [VISITORS.load(row) for row in rows]
