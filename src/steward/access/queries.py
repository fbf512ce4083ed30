from collections.abc import Iterable

from steward.access.model import CurrentUser, StoredSession, UserAccess
from steward.kit.db.query import Database, expiry, query, sql
from steward.kit.security.caller import TenantId
from steward.kit.security.permissions import ALL_PERMISSIONS, Permission, with_narrower
from steward.organizations.model import Plan

_PERMISSIONS = """ARRAY(SELECT DISTINCT permission
                    FROM membership_roles mr
                    JOIN roles r ON r.organization_id = mr.organization_id AND r.id = mr.role_id,
                    unnest(r.permissions) permission
                    WHERE mr.organization_id = $1 AND mr.user_id = {})"""
_STANDING = sql(
    f"""SELECT o.plan, m.status, {_PERMISSIONS.format("$2")},
              a.generation
       FROM organizations o
       LEFT JOIN memberships m ON m.organization_id = o.id AND m.organization_id = $1 AND m.user_id = $2
       LEFT JOIN accounts a ON a.id = m.account_id
       WHERE o.id = $1"""
)
# Of each page of the web app, which also shows whose it is.
_FIND_VIEWER = sql(
    """SELECT s.user_id, s.expires, s.generation, o.name, m.name, m.email
       FROM web_sessions s
       JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
       JOIN organizations o ON o.id = s.organization_id
       WHERE s.organization_id = $1 AND s.token_hash = $2 AND s.expires > $3"""
)
_SESSION_PERMISSIONS = sql(
    f"""SELECT s.token_hash, {_PERMISSIONS.format("s.user_id")}
       FROM web_sessions s
       JOIN memberships m ON m.organization_id = s.organization_id AND m.user_id = s.user_id
       JOIN accounts a ON a.id = m.account_id
       WHERE s.organization_id = $1 AND s.token_hash = ANY ($2) AND s.expires > $3
         AND m.status = 'Active' AND a.generation = s.generation"""
)


async def user_access(db: Database, organization_id: str, user_id: str) -> UserAccess | None:
    row = await db.fetchrow(_STANDING, organization_id, user_id)
    if row is None:
        return None
    plan, status, permissions, generation = row
    active = status == "Active"
    return UserAccess(Plan(plan), active, _known(permissions) if active else frozenset(), generation or 0)


def _known(permissions: Iterable[str]) -> frozenset[Permission]:
    """A permission that a later version removed from the vocabulary grants nothing."""
    return with_narrower(frozenset(Permission(p) for p in permissions if p in ALL_PERMISSIONS))


@query(
    """INSERT INTO web_sessions (organization_id, token_hash, user_id, expires, generation)
       VALUES ($1, $2, $3, $4, $5)"""
)
async def insert_session(
    db: Database, tenant: TenantId, token_hash: bytes, session: StoredSession
) -> None: ...


@query(
    """SELECT user_id, expires, generation FROM web_sessions
       WHERE organization_id = $1 AND token_hash = $2 AND expires > $3"""
)
async def find_session(
    db: Database, tenant: TenantId, token_hash: bytes, now: int
) -> StoredSession | None: ...


async def find_viewer(
    db: Database, tenant: TenantId, token_hash: bytes, now: int
) -> tuple[StoredSession, CurrentUser] | None:
    row = await db.fetchrow(_FIND_VIEWER, tenant, token_hash, now)
    return None if row is None else (StoredSession(*row[:3]), CurrentUser(*row[3:]))


async def session_permissions(
    db: Database, tenant: TenantId, token_hashes: Iterable[bytes], now: int
) -> dict[bytes, frozenset[Permission]]:
    """What people with these sessions may do, after the same checks as `find_caller`; ended sessions are left out."""
    rows = await db.fetch(_SESSION_PERMISSIONS, tenant, list(token_hashes), now)
    return {token_hash: _known(permissions) for token_hash, permissions in rows}


@query("DELETE FROM web_sessions WHERE organization_id = $1 AND token_hash = $2 RETURNING user_id")
async def delete_session(db: Database, tenant: TenantId, token_hash: bytes) -> bool:
    """Whether there was one."""


delete_expired = expiry("web_sessions", "expires")
