from steward.kit.db.listing import SEARCH, Listing, Sort, folded, json_columns
from steward.kit.db.lookup import Lookup
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.roles.model import Role

ROLES = Table("roles", Role, "role", searched=("name",))
LISTING = Listing(
    "roles",
    json_columns(Role),
    filters={"updated_after": "updated >= {}", "q": SEARCH},
    sorts={"name": Sort(folded("name"), "text"), "updated": Sort("updated")},
)
LOOKUP = Lookup(
    "role",
    "roles",
    label="name",
    detail="description",
    path="/app/settings/roles",
    permission=Permission.ROLES_READ,
)

_ALL = sql(
    f"SELECT {', '.join(ROLES.fields)} FROM roles WHERE organization_id = $1 ORDER BY system DESC, id LIMIT 200"
)
_HOLDERS = sql("SELECT count(*) FROM membership_roles WHERE organization_id = $1 AND role_id = $2")


async def all_roles(db: Database, tenant: TenantId) -> list[Role]:
    """The built-in ones first. Organizations have few, so there are no pages."""
    return [ROLES.load(row) for row in await db.fetch(_ALL, tenant)]


async def count_holders(db: Database, tenant: TenantId, role_id: str) -> int:
    return int(await db.fetchval(_HOLDERS, tenant, role_id))
