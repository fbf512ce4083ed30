import hashlib

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.organizations.model import Plan

_MEMBERSHIPS = sql(
    """SELECT m.organization_id, o.name, o.plan, m.user_id, m.account_id
       FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.account_id = ANY($1::text[]) AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person logs in before it is known to which organization",
)
_BEARER = sql(
    """SELECT a.email, a.generation, o.plan FROM memberships m
       JOIN organizations o ON o.id = m.organization_id
       JOIN accounts a ON a.id = m.account_id
       WHERE m.organization_id = $1 AND m.user_id = $2 AND m.status = 'Active'"""
)
_INSERT = sql(
    """INSERT INTO refresh_tokens (organization_id, token_hash, chain_id, user_id, used, expires, generation)
       VALUES ($1, $2, $3, $4, false, $5, $6)"""
)
_LOCK = sql(
    """SELECT chain_id, user_id, used, expires, generation FROM refresh_tokens
       WHERE organization_id = $1 AND token_hash = $2 FOR UPDATE"""
)
_USE = sql("UPDATE refresh_tokens SET used = true WHERE organization_id = $1 AND token_hash = $2")
_END_CHAIN = sql("DELETE FROM refresh_tokens WHERE organization_id = $1 AND chain_id = $2")
_DELETE_EXPIRED = sql(
    "DELETE FROM refresh_tokens WHERE expires < $1", across="housekeeping takes every tenant's expired tokens"
)


class Membership(msgspec.Struct, frozen=True):
    """An organization that an account may log in to, and the user that it is there."""

    organization_id: str
    name: str
    plan: Plan
    user_id: str
    account_id: str


class Bearer(msgspec.Struct, frozen=True):
    """What tokens say of a user beside who it is."""

    email: str
    generation: int
    plan: Plan


class StoredRefreshToken(msgspec.Struct, frozen=True):
    chain_id: str
    user_id: str
    used: bool
    expires: int
    generation: int


def _digest(refresh_token: str) -> bytes:
    return hashlib.sha256(refresh_token.encode()).digest()


async def memberships(db: Database, account_ids: list[str]) -> list[Membership]:
    """Those in which the person is active, the one they joined first at the beginning."""
    return [
        Membership(row[0], row[1], Plan(row[2]), row[3], row[4])
        for row in await db.fetch(_MEMBERSHIPS, account_ids)
    ]


async def bearer(db: Database, tenant: TenantId, user_id: str) -> Bearer | None:
    """None for who is suspended or gone."""
    row = await db.fetchrow(_BEARER, tenant, user_id)
    return None if row is None else Bearer(row[0], row[1], Plan(row[2]))


async def insert(
    db: Database,
    tenant: TenantId,
    refresh_token: str,
    *,
    chain_id: str,
    user_id: str,
    expires: int,
    generation: int,
) -> None:
    await db.execute(_INSERT, tenant, _digest(refresh_token), chain_id, user_id, expires, generation)


async def lock(db: Database, tenant: TenantId, refresh_token: str) -> StoredRefreshToken | None:
    row = await db.fetchrow(_LOCK, tenant, _digest(refresh_token))
    return None if row is None else StoredRefreshToken(*row)


async def use(db: Database, tenant: TenantId, refresh_token: str) -> None:
    await db.execute(_USE, tenant, _digest(refresh_token))


async def end_chain(db: Database, tenant: TenantId, chain_id: str) -> None:
    await db.execute(_END_CHAIN, tenant, chain_id)


async def forget_expired(db: Database, now: int) -> None:
    await db.execute(_DELETE_EXPIRED, now)
