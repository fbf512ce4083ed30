from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.page import Listing, json_columns
from steward.kit.permissions import Permission
from steward.kit.sql import sql
from steward.users.model import User

_ROLE_IDS = """ARRAY(SELECT mr.role_id FROM membership_roles mr
                     WHERE mr.organization_id = m.organization_id AND mr.user_id = m.user_id ORDER BY mr.role_id)"""
_COLUMNS = json_columns(
    User,
    id="m.user_id",
    email="u.email",
    name="m.name",
    status="m.status",
    role_ids=_ROLE_IDS,
    created="m.created",
    updated="m.updated",
)
_SOURCE = "memberships m JOIN users u ON u.id = m.user_id"
_SELECT = (
    f"SELECT {', '.join(_COLUMNS.values())} FROM {_SOURCE} WHERE m.organization_id = $1 AND m.user_id = $2"
)

LISTING = Listing(_SOURCE, _COLUMNS, tenant_column="m.organization_id")

_GET = sql(_SELECT)
_LOCK = sql(f"{_SELECT} FOR UPDATE OF m")
_ACCOUNT = sql("SELECT id FROM users WHERE lower(email) = lower($1)")
_INSERT_ACCOUNT = sql(
    "INSERT INTO users (id, email, password_hash, created, updated) VALUES ($1, $2, $3, $4, $4)"
)
_INSERT_MEMBER = sql(
    """INSERT INTO memberships (organization_id, user_id, name, status, created, updated)
       VALUES ($1, $2, $3, $4, $5, $6)"""
)
_UPDATE_MEMBER = sql(
    """UPDATE memberships SET name = $3, status = $4, updated = $5
       WHERE organization_id = $1 AND user_id = $2"""
)
_CLEAR_ROLES = sql("DELETE FROM membership_roles WHERE organization_id = $1 AND user_id = $2")
_ADD_ROLES = sql(
    """INSERT INTO membership_roles (organization_id, user_id, role_id)
       SELECT $1, $2, role_id FROM unnest($3::text[]) role_id"""
)
_COUNT_ORGANIZATIONS = sql(
    "SELECT count(*) FROM memberships WHERE user_id = $1",
    across="whether an account is shared is a question about all tenants; only the number gets out",
)
_SET_EMAIL = sql("UPDATE users SET email = $2, updated = $3 WHERE id = $1")
_SET_PASSWORD = sql("UPDATE users SET password_hash = $2, updated = $3 WHERE id = $1")
_DELETE_MEMBER = sql("DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2")
_DELETE_UNUSED_ACCOUNT = sql(
    "DELETE FROM users WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.user_id = $1)",
    across="an account goes with its last membership, wherever that was",
)
_END_TOKENS = sql(
    "DELETE FROM refresh_tokens WHERE user_id = $1", across="a password opens every organization of a person"
)
_END_SESSIONS = sql(
    "DELETE FROM web_sessions WHERE user_id = $1", across="a password opens every organization of a person"
)
_ADMINISTRATORS = sql(
    """SELECT m.user_id FROM memberships m
       JOIN membership_roles mr ON mr.organization_id = m.organization_id AND mr.user_id = m.user_id
       JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id
       WHERE m.organization_id = $1 AND m.status = 'Active' AND r.system AND r.name = 'Administrator'"""
)
_PERMISSIONS_OF_ROLES = sql(
    """SELECT DISTINCT permission FROM roles r, unnest(r.permissions) permission
       WHERE r.organization_id = $1 AND r.id = ANY($2)"""
)
_LOCK_ORGANIZATION = sql("SELECT 1 FROM organizations WHERE id = $1 FOR NO KEY UPDATE")


async def get(db: Database, tenant: TenantId, user_id: str) -> User | None:
    row = await db.fetchrow(_GET, tenant, user_id)
    return None if row is None else User(*row)


async def lock(db: Database, tenant: TenantId, user_id: str) -> User | None:
    """Also holds everyone else who would change the organization's users, so that its last administrator stays."""
    await db.execute(_LOCK_ORGANIZATION, tenant)
    row = await db.fetchrow(_LOCK, tenant, user_id)
    return None if row is None else User(*row)


async def find_account(db: Database, email: str) -> str | None:
    return await db.fetchval(_ACCOUNT, email)  # type: ignore[no-any-return]


async def insert_account(db: Database, user_id: str, email: str, password_hash: str, now: int) -> None:
    await db.execute(_INSERT_ACCOUNT, user_id, email, password_hash, now)


async def insert_member(db: Database, tenant: TenantId, user: User) -> None:
    await db.execute(_INSERT_MEMBER, tenant, user.id, user.name, user.status, user.created, user.updated)
    await db.execute(_ADD_ROLES, tenant, user.id, user.role_ids)


async def update_member(db: Database, tenant: TenantId, user: User) -> None:
    await db.execute(_UPDATE_MEMBER, tenant, user.id, user.name, user.status, user.updated)
    await db.execute(_CLEAR_ROLES, tenant, user.id)
    await db.execute(_ADD_ROLES, tenant, user.id, user.role_ids)


async def delete_member(db: Database, tenant: TenantId, user_id: str) -> None:
    await db.execute(_DELETE_MEMBER, tenant, user_id)
    await db.execute(_DELETE_UNUSED_ACCOUNT, user_id)


async def count_organizations(db: Database, user_id: str) -> int:
    return int(await db.fetchval(_COUNT_ORGANIZATIONS, user_id))


async def set_email(db: Database, user_id: str, email: str, now: int) -> None:
    await db.execute(_SET_EMAIL, user_id, email, now)


async def set_password(db: Database, user_id: str, password_hash: str, now: int) -> None:
    await db.execute(_SET_PASSWORD, user_id, password_hash, now)


async def end_logins(db: Database, user_id: str) -> None:
    """What was opened with the old password does not outlive it."""
    await db.execute(_END_TOKENS, user_id)
    await db.execute(_END_SESSIONS, user_id)


async def administrators(db: Database, tenant: TenantId) -> set[str]:
    return {row[0] for row in await db.fetch(_ADMINISTRATORS, tenant)}


async def permissions_of(db: Database, tenant: TenantId, role_ids: list[str]) -> list[Permission]:
    return [Permission(row[0]) for row in await db.fetch(_PERMISSIONS_OF_ROLES, tenant, role_ids)]
