"""Web sessions: a cookie that stands for a person in an organization. They work on every plan."""

import hashlib
import secrets

from steward.access.memory import Memory
from steward.kit import clock
from steward.kit.caller import Caller, TenantId
from steward.kit.db import Database
from steward.kit.sql import sql

SESSION_SECONDS = 12 * 3600

_INSERT = sql(
    "INSERT INTO web_sessions (organization_id, token_hash, user_id, expires) VALUES ($1, $2, $3, $4)"
)
_FIND = sql(
    "SELECT user_id FROM web_sessions WHERE organization_id = $1 AND token_hash = $2 AND expires > $3"
)
_DELETE = sql("DELETE FROM web_sessions WHERE organization_id = $1 AND token_hash = $2")
_DELETE_OTHERS = sql(
    "DELETE FROM web_sessions WHERE user_id = $1 AND token_hash <> $2",
    across="a new password ends a person's sessions in every organization",
)
FORGET_EXPIRED = sql(
    "DELETE FROM web_sessions WHERE expires < $1", across="housekeeping takes every tenant's expired sessions"
)


def _parts(cookie: str) -> tuple[TenantId, bytes]:
    return TenantId(cookie.partition(".")[0]), hashlib.sha256(cookie.encode()).digest()


async def begin(db: Database, organization_id: str, user_id: str) -> str:
    """Returns the cookie's value; only its hash is kept."""
    cookie = f"{organization_id}.{secrets.token_urlsafe(32)}"
    tenant, digest = _parts(cookie)
    await db.execute(_INSERT, tenant, digest, user_id, clock.now() + SESSION_SECONDS)
    return cookie


async def caller(db: Database, memory: Memory, cookie: str) -> Caller | None:
    """Whom a cookie stands for; None once it has expired or the person is suspended."""
    tenant, digest = _parts(cookie)
    user_id = await db.fetchval(_FIND, tenant, digest, clock.now())
    if user_id is None:
        return None
    known = await memory.find_user(tenant, user_id)
    return known.caller if known is not None and known.usable else None


async def end(db: Database, cookie: str) -> None:
    await db.execute(_DELETE, *_parts(cookie))


async def end_others(db: Database, user_id: str, cookie: str) -> None:
    await db.execute(_DELETE_OTHERS, user_id, _parts(cookie)[1])
