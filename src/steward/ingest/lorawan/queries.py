from collections.abc import Sequence

from steward.kit.db.pool import Database
from steward.kit.db.sql import Row, sql
from steward.kit.security.caller import TenantId

_BY_EUI = sql(
    """SELECT a.id, ty.properties
       FROM assets a JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.external_id = ANY ($2::text[])
       ORDER BY array_position($2::text[], a.external_id)
       LIMIT 1"""
)


async def device_by_eui(db: Database, tenant: TenantId, spellings: Sequence[str]) -> Row | None:
    """The `id` of the asset whose externalId is the first of these that there is, and the `properties` of its type."""
    return await db.fetchrow(_BY_EUI, tenant, spellings)
