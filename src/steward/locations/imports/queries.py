from collections.abc import Iterable

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_BY_EXTERNAL_ID = sql(
    "SELECT external_id, id FROM locations WHERE organization_id = $1 AND external_id = ANY ($2::text[])"
)
_BY_CODE = sql("SELECT code, id FROM locations WHERE organization_id = $1 AND code = ANY ($2::text[])")
_ABOVE = sql(
    """WITH RECURSIVE above AS (
           SELECT l.id, l.parent_id FROM locations l WHERE l.organization_id = $1 AND l.id = ANY ($2::text[])
           UNION
           SELECT l.id, l.parent_id FROM locations l JOIN above ON l.id = above.parent_id
           WHERE l.organization_id = $1
       )
       SELECT id, parent_id FROM above"""
)


async def ids_by_external_id(db: Database, tenant: TenantId, names: Iterable[str]) -> dict[str, str]:
    return {row[0]: row[1] for row in await db.fetch(_BY_EXTERNAL_ID, tenant, list(names))}


async def ids_by_code(db: Database, tenant: TenantId, codes: Iterable[str]) -> dict[str, str]:
    return {row[0]: row[1] for row in await db.fetch(_BY_CODE, tenant, list(codes))}


async def parents_above(db: Database, tenant: TenantId, ids: Iterable[str]) -> dict[str, str | None]:
    """These locations and everything above them, each with its parent."""
    return {row[0]: row[1] for row in await db.fetch(_ABOVE, tenant, list(ids))}
