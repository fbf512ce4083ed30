from collections.abc import Collection

from steward.kit.db.query import Database, query
from steward.kit.security.caller import TenantId
from steward.locations.queries import ABOVE


@query("SELECT external_id, id FROM locations WHERE organization_id = $1 AND external_id = ANY ($2::text[])")
async def ids_by_external_id(db: Database, tenant: TenantId, names: Collection[str]) -> dict[str, str]: ...


@query("SELECT code, id FROM locations WHERE organization_id = $1 AND code = ANY ($2::text[])")
async def ids_by_code(db: Database, tenant: TenantId, codes: Collection[str]) -> dict[str, str]: ...


@query(f"{ABOVE.format('= ANY ($2::text[])')} SELECT id, parent_id FROM above")
async def parents_above(db: Database, tenant: TenantId, ids: Collection[str]) -> dict[str, str | None]:
    """These locations and everything above them, each with its parent."""
