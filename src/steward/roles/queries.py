from steward.kit.db.pagination import Listing, json_columns
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.roles.model import Role

ROLES = Table("roles", Role, "role")
LISTING = Listing("roles", json_columns(Role))

_HOLDERS = sql("SELECT count(*) FROM membership_roles WHERE organization_id = $1 AND role_id = $2")


async def count_holders(db: Database, tenant: TenantId, role_id: str) -> int:
    return int(await db.fetchval(_HOLDERS, tenant, role_id))
