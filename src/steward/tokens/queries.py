import hashlib

import msgspec

from steward.kit.caller import TenantId
from steward.kit.db import Database
from steward.kit.sql import sql
from steward.organizations.model import Plan

_ACCOUNT = sql("SELECT id, email, password_hash FROM users WHERE lower(email) = lower($1)")
_MEMBERSHIPS = sql(
    """SELECT m.organization_id, o.name, o.plan FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.user_id = $1 AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person logs in before it is known to which organization",
)
_EMAIL = sql("SELECT email FROM users WHERE id = $1")
_INSERT = sql(
    """INSERT INTO refresh_tokens (organization_id, token_hash, chain_id, user_id, used, expires)
       VALUES ($1, $2, $3, $4, false, $5)"""
)
_LOCK = sql(
    """SELECT chain_id, user_id, used, expires FROM refresh_tokens
       WHERE organization_id = $1 AND token_hash = $2 FOR UPDATE"""
)
_USE = sql("UPDATE refresh_tokens SET used = true WHERE organization_id = $1 AND token_hash = $2")
_END_CHAIN = sql("DELETE FROM refresh_tokens WHERE organization_id = $1 AND chain_id = $2")
FORGET_EXPIRED = sql(
    "DELETE FROM refresh_tokens WHERE expires < $1", across="housekeeping takes every tenant's expired tokens"
)


class Account(msgspec.Struct, frozen=True):
    id: str
    email: str
    password_hash: str


class Membership(msgspec.Struct, frozen=True):
    """An organization that a person may log in to."""

    organization_id: str
    name: str
    plan: Plan


class StoredRefreshToken(msgspec.Struct, frozen=True):
    chain_id: str
    user_id: str
    used: bool
    expires: int


def _digest(refresh_token: str) -> bytes:
    return hashlib.sha256(refresh_token.encode()).digest()


async def find_account(db: Database, email: str) -> Account | None:
    row = await db.fetchrow(_ACCOUNT, email)
    return None if row is None else Account(*row)


async def memberships(db: Database, user_id: str) -> list[Membership]:
    return [Membership(row[0], row[1], Plan(row[2])) for row in await db.fetch(_MEMBERSHIPS, user_id)]


async def email_of(db: Database, user_id: str) -> str:
    return str(await db.fetchval(_EMAIL, user_id))


async def insert(
    db: Database, tenant: TenantId, refresh_token: str, *, chain_id: str, user_id: str, expires: int
) -> None:
    await db.execute(_INSERT, tenant, _digest(refresh_token), chain_id, user_id, expires)


async def lock(db: Database, tenant: TenantId, refresh_token: str) -> StoredRefreshToken | None:
    row = await db.fetchrow(_LOCK, tenant, _digest(refresh_token))
    return None if row is None else StoredRefreshToken(*row)


async def use(db: Database, tenant: TenantId, refresh_token: str) -> None:
    await db.execute(_USE, tenant, _digest(refresh_token))


async def end_chain(db: Database, tenant: TenantId, chain_id: str) -> None:
    await db.execute(_END_CHAIN, tenant, chain_id)
