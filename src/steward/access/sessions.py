"""Web sessions: a cookie that stands for a person in an organization. They work on every plan."""

import hashlib
import secrets

from steward.access.credential_cache import CredentialCache
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import Caller, TenantId

SESSION_SECONDS = 12 * 3600

_INSERT = sql(
    """INSERT INTO web_sessions (organization_id, token_hash, user_id, expires, generation)
       VALUES ($1, $2, $3, $4, $5)"""
)
_FIND = sql(
    """SELECT user_id, generation FROM web_sessions
       WHERE organization_id = $1 AND token_hash = $2 AND expires > $3"""
)
_DELETE = sql("DELETE FROM web_sessions WHERE organization_id = $1 AND token_hash = $2")
_DELETE_EXPIRED = sql(
    "DELETE FROM web_sessions WHERE expires < $1", across="housekeeping takes every tenant's expired sessions"
)


def _parts(cookie: str) -> tuple[TenantId, bytes]:
    return TenantId(cookie.partition(".")[0]), hashlib.sha256(cookie.encode()).digest()


async def begin(db: Database, organization_id: str, user_id: str, generation: int, *, now: int) -> str:
    """Returns the cookie's value; only its hash is kept. The generation is the one in which the password was checked."""
    cookie = f"{organization_id}.{secrets.token_urlsafe(32)}"
    tenant, digest = _parts(cookie)
    await db.execute(_INSERT, tenant, digest, user_id, now + SESSION_SECONDS, generation)
    return cookie


async def caller(db: Database, credentials: CredentialCache, cookie: str, *, now: int) -> Caller | None:
    """Whom a cookie stands for; None once it has expired, the person is suspended or the password is another one."""
    tenant, digest = _parts(cookie)
    found = await db.fetchrow(_FIND, tenant, digest, now)
    if found is None:
        return None
    known = await credentials.find_user(tenant, found["user_id"])
    if known is None or not known.usable or known.generation != found["generation"]:
        return None
    return known.caller


async def move(db: Database, cookie: str, organization_id: str, user_id: str, *, now: int) -> str | None:
    """A session in another organization of the same account, which goes on in the generation of this one."""
    tenant, digest = _parts(cookie)
    found = await db.fetchrow(_FIND, tenant, digest, now)
    if found is None:
        return None
    await end(db, cookie)
    return await begin(db, organization_id, user_id, found["generation"], now=now)


async def end(db: Database, cookie: str) -> None:
    await db.execute(_DELETE, *_parts(cookie))


async def forget_expired(db: Database, now: int) -> None:
    await db.execute(_DELETE_EXPIRED, now)
