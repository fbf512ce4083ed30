from steward.kit.db.listing import SEARCH, Listing, Sort, folded
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query
from steward.kit.db.table import Table
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import Permission
from steward.roles.model import Role

ROLES = Table("roles", Role, "role", searched=("name",))
LISTING = Listing(
    ROLES,
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


@query(
    f"SELECT {', '.join(ROLES.fields)} FROM roles WHERE organization_id = $1 ORDER BY system DESC, id LIMIT 200"
)
async def all_roles(db: Database, tenant: TenantId) -> list[Role]:
    """The built-in ones first. Organizations have few, so there are no pages."""


@query("SELECT count(*) FROM membership_roles WHERE organization_id = $1 AND role_id = $2")
async def count_holders(db: Database, tenant: TenantId, role_id: str) -> int: ...
