from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.page import Listing, json_columns
from steward.kit.sql import sql
from steward.kit.table import Table
from steward.roles.model import Role

ROLES = Table("roles", Role, "role")
LISTING = Listing("roles", json_columns(Role))

_HOLDERS = sql("SELECT count(*) FROM membership_roles WHERE organization_id = $1 AND role_id = $2")


async def count_holders(db: Database, tenant: TenantId, role_id: str) -> int:
    return int(await db.fetchval(_HOLDERS, tenant, role_id))
