from steward.kit.db import search
from steward.kit.db.listing import SEARCH, Filter, Listing, Sort, folded, json_columns
from steward.kit.db.lookup import Lookup
from steward.kit.db.query import Database, query, sql
from steward.kit.db.search_columns import SearchedTable, register
from steward.kit.domain.problems import Invalid
from steward.kit.records.archiving import ARCHIVED
from steward.kit.records.context import Context
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission
from steward.users.model import User

_ROLE_IDS = """ARRAY(SELECT mr.role_id FROM membership_roles mr
                     WHERE mr.organization_id = $1 AND mr.user_id = m.user_id ORDER BY mr.role_id)"""
_COLUMNS = json_columns(User, "m.", id="m.user_id", role_ids=_ROLE_IDS)
_OF_ORGANIZATION = f"SELECT {', '.join(_COLUMNS.values())} FROM memberships m WHERE m.organization_id = $1"
_SELECT = f"{_OF_ORGANIZATION} AND m.user_id = $2"

_SEARCHED = ("name", "email")
register(SearchedTable(name="memberships", id="user_id", texts=_SEARCHED))

LISTING = Listing(
    "memberships m",
    _COLUMNS,
    filters={
        "email": Filter("lower(m.email) = lower({})", unique=True),
        "external_id": Filter("m.external_id = {}", unique=True),
        "status": Filter("m.status = {}", indexed=False),
        "updated_after": "m.updated >= {}",
        "archived": ARCHIVED,
        "q": SEARCH,
    },
    sorts={"name": Sort(folded("m.name"), "text"), "updated": Sort("m.updated")},
    tenant_column="m.organization_id",
)
LOOKUP = Lookup(
    "user",
    "memberships",
    id="user_id",
    label="name",
    detail="email",
    path="/app/settings/users",
    only="status = 'Active'",
    permission=Permission.USERS_READ,
)

_LOCK = sql(f"{_SELECT} FOR UPDATE OF m")
_INSERT = sql(
    """INSERT INTO memberships (organization_id, user_id, name, status, created, updated, external_id, metadata,
                                account_id, email, made_account, search_text, search_grams)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"""
)
_UPDATE = sql(
    """UPDATE memberships SET name = $3, status = $4, updated = $5, email = $6, external_id = $7, metadata = $8,
                              archived_at = $9, search_text = $10, search_grams = $11
       WHERE organization_id = $1 AND user_id = $2"""
)
_CLEAR_ROLES = sql("DELETE FROM membership_roles WHERE organization_id = $1 AND user_id = $2")
_ADD_ROLES = sql(
    """INSERT INTO membership_roles (organization_id, user_id, role_id)
       SELECT $1, $2, role_id FROM unnest($3::text[]) role_id"""
)
_PERMISSIONS_OF_ROLES = sql(
    """SELECT DISTINCT permission FROM roles r, unnest(r.permissions) permission
       WHERE r.organization_id = $1 AND r.id = ANY($2)"""
)
_PERMISSIONS_OF_USER = sql(
    """SELECT DISTINCT permission
       FROM memberships m
       JOIN membership_roles mr ON mr.organization_id = m.organization_id AND mr.user_id = m.user_id
       JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id,
       unnest(r.permissions) permission
       WHERE m.organization_id = $1 AND m.user_id = $2 AND m.status = 'Active'"""
)


@query(_SELECT)
async def get(db: Database, tenant: TenantId, user_id: str) -> User | None: ...


@query(f"{_OF_ORGANIZATION} AND m.external_id = $2")
async def by_external_id(db: Database, tenant: TenantId, external_id: str) -> User | None: ...


@query("SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE")
async def lock_organization(db: Database, tenant: TenantId) -> None:
    """Locks out other changes of the organization's users."""


async def lock(db: Database, tenant: TenantId, user_id: str) -> User | None:
    """Also locks out other changes of the organization's users, so that its last administrator stays."""
    await lock_organization(db, tenant)
    row = await db.fetchrow(_LOCK, tenant, user_id)
    return None if row is None else User(*row)


@query("SELECT user_id FROM memberships WHERE organization_id = $1 AND lower(email) = lower($2)")
async def find(db: Database, tenant: TenantId, email: str) -> str | None:
    """The user with this address in the organization."""


async def insert(db: Database, tenant: TenantId, user: User, account_id: str, *, made_account: bool) -> None:
    person = (user.id, user.name, user.status, user.created, user.updated, user.external_id, user.metadata)
    account = (account_id, user.email, made_account)
    await db.execute(_INSERT, tenant, *person, *account, *_searchable(tenant, user))
    await db.execute(_ADD_ROLES, tenant, user.id, user.role_ids)


async def update(db: Database, tenant: TenantId, user: User) -> None:
    written = (user.name, user.status, user.updated, user.email, user.external_id, user.metadata)
    await db.execute(_UPDATE, tenant, user.id, *written, user.archived_at, *_searchable(tenant, user))
    await db.execute(_CLEAR_ROLES, tenant, user.id)
    await db.execute(_ADD_ROLES, tenant, user.id, user.role_ids)


def _searchable(tenant: TenantId, user: User) -> tuple[str, list[int]]:
    texts = [getattr(user, text) for text in _SEARCHED]
    return search.text(*texts), search.grams(tenant, *texts)


@query("DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2 RETURNING account_id")
async def delete(db: Database, tenant: TenantId, user_id: str) -> str:
    """Returns the account that was behind it."""


@query(
    """SELECT m.user_id FROM memberships m
       JOIN membership_roles mr ON mr.organization_id = m.organization_id AND mr.user_id = m.user_id
       JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id
       WHERE m.organization_id = $1 AND m.status = 'Active' AND r.system AND r.name = 'Administrator'"""
)
async def administrators(db: Database, tenant: TenantId) -> set[str]: ...


async def acting_person(ctx: Context, named: str | None, field: str) -> str | None:
    """The user recorded as the actor: the caller, or the one named in the body, if the caller may name
    others.
    """
    person = ctx.who.acting_as(named, field)
    if person is not None and person != ctx.who.user and not await LOOKUP.names(ctx.db, ctx.tenant, [person]):
        raise Invalid(field, "names no user of this organization")
    return person


async def permissions_of_roles(db: Database, tenant: TenantId, role_ids: list[str]) -> frozenset[Permission]:
    return _known(await db.fetch(_PERMISSIONS_OF_ROLES, tenant, role_ids))


async def permissions_of_user(db: Database, tenant: TenantId, user_id: str) -> frozenset[Permission]:
    """None for a user who is suspended or gone."""
    return _known(await db.fetch(_PERMISSIONS_OF_USER, tenant, user_id))


def _known(rows: list[tuple[str]]) -> frozenset[Permission]:
    # A permission that a later version removed from the vocabulary grants nothing.
    return frozenset(Permission(row[0]) for row in rows if row[0] in ALL_PERMISSIONS)
