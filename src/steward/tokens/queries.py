from msgspec.structs import astuple

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.organizations.model import Plan
from steward.tokens.model import Membership, StoredRefreshToken, TokenHolder

_MEMBERSHIPS = sql(
    """SELECT m.organization_id, o.name, o.plan, m.user_id, m.account_id
       FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.account_id = ANY($1::text[]) AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person logs in before it is known to which organization",
)
_HOLDER = sql(
    """SELECT a.email, a.generation, o.plan FROM memberships m
       JOIN organizations o ON o.id = m.organization_id
       JOIN accounts a ON a.id = m.account_id
       WHERE m.organization_id = $1 AND m.user_id = $2 AND m.status = 'Active'"""
)
_INSERT = sql(
    """INSERT INTO refresh_tokens (organization_id, token_hash, chain_id, user_id, used, expires, generation)
       VALUES ($1, $2, $3, $4, $5, $6, $7)"""
)
_LOCK = sql(
    """SELECT chain_id, user_id, used, expires, generation FROM refresh_tokens
       WHERE organization_id = $1 AND token_hash = $2 FOR UPDATE"""
)
_MARK_USED = sql("UPDATE refresh_tokens SET used = true WHERE organization_id = $1 AND token_hash = $2")
_END_CHAIN = sql("DELETE FROM refresh_tokens WHERE organization_id = $1 AND chain_id = $2")
_SECRET = sql("SELECT value FROM service_secrets WHERE name = $1")
_INSERT_SECRET = sql(
    "INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
)
_DELETE_EXPIRED = sql(
    "DELETE FROM refresh_tokens WHERE expires < $1", across="housekeeping takes every tenant's expired tokens"
)


async def memberships(db: Database, account_ids: list[str]) -> list[Membership]:
    """Those in which the person is active, the first one joined first."""
    return [
        Membership(row[0], row[1], Plan(row[2]), row[3], row[4])
        for row in await db.fetch(_MEMBERSHIPS, account_ids)
    ]


async def find_holder(db: Database, tenant: TenantId, user_id: str) -> TokenHolder | None:
    """None for a user who is suspended or gone."""
    row = await db.fetchrow(_HOLDER, tenant, user_id)
    return None if row is None else TokenHolder(row[0], row[1], Plan(row[2]))


async def insert(db: Database, tenant: TenantId, token_hash: bytes, stored: StoredRefreshToken) -> None:
    await db.execute(_INSERT, tenant, token_hash, *astuple(stored))


async def lock(db: Database, tenant: TenantId, token_hash: bytes) -> StoredRefreshToken | None:
    row = await db.fetchrow(_LOCK, tenant, token_hash)
    return None if row is None else StoredRefreshToken(*row)


async def mark_used(db: Database, tenant: TenantId, token_hash: bytes) -> None:
    await db.execute(_MARK_USED, tenant, token_hash)


async def end_chain(db: Database, tenant: TenantId, chain_id: str) -> None:
    await db.execute(_END_CHAIN, tenant, chain_id)


async def delete_expired(db: Database, now: int) -> None:
    await db.execute(_DELETE_EXPIRED, now)


async def secret(db: Database, name: str) -> bytes | None:
    """A secret of the service itself, encrypted."""
    return await db.fetchval(_SECRET, name)  # type: ignore[no-any-return]


async def insert_secret(db: Database, name: str, sealed: bytes) -> None:
    """The first process to write wins."""
    await db.execute(_INSERT_SECRET, name, sealed)
