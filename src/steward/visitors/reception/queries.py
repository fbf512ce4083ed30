import msgspec

from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId
from steward.visitors.model import Visitor
from steward.visitors.queries import ARRIVAL, VISITORS

_VISITORS = f"""{VISITORS.of_tenant} AND ($2::text[] IS NULL OR location_id = ANY ($2))
      AND ($3::bigint[] IS NULL OR (search_grams @> $3 AND search_text LIKE ALL ($4::text[])))"""


class Narrowing(msgspec.Struct, frozen=True):
    """Only visitors at these places, and with these words in name or company; None: all of them."""

    location_ids: list[str] | None = None
    grams: list[int] | None = None
    words: list[str] | None = None


@query(
    f"""{_VISITORS} AND status = 'Registered' AND {ARRIVAL} >= $6 AND {ARRIVAL} < $7
        ORDER BY {ARRIVAL}, id LIMIT $5"""
)
async def expected(
    db: Database, tenant: TenantId, to: Narrowing, limit: int, *, start: int, end: int
) -> list[Visitor]: ...


@query(f"{_VISITORS} AND status = 'CheckedIn' ORDER BY checked_in_at DESC LIMIT $5")
async def on_site(db: Database, tenant: TenantId, to: Narrowing, limit: int) -> list[Visitor]: ...


@query(
    f"""{_VISITORS} AND status = 'CheckedOut' AND checked_out_at >= $6 AND checked_out_at < $7
        ORDER BY checked_out_at DESC, id DESC LIMIT $5"""
)
async def left(
    db: Database, tenant: TenantId, to: Narrowing, limit: int, *, start: int, end: int
) -> list[Visitor]: ...
