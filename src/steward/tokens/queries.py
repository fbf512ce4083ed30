from steward.kit.db.query import Database, expiry, query
from steward.kit.security.caller import TenantId
from steward.tokens.model import Membership, StoredRefreshToken, TokenHolder


@query(
    """SELECT m.organization_id, o.name, o.plan, m.user_id, m.account_id
       FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.account_id = ANY($1::text[]) AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person logs in before it is known to which organization",
)
async def memberships(db: Database, account_ids: list[str]) -> list[Membership]:
    """Those in which the person is active, the first one joined first."""


@query(
    """SELECT a.email, a.generation, o.plan FROM memberships m
       JOIN organizations o ON o.id = m.organization_id
       JOIN accounts a ON a.id = m.account_id
       WHERE m.organization_id = $1 AND m.user_id = $2 AND m.status = 'Active'"""
)
async def find_holder(db: Database, tenant: TenantId, user_id: str) -> TokenHolder | None:
    """None for a user who is suspended or gone."""


@query(
    """INSERT INTO refresh_tokens (organization_id, token_hash, chain_id, user_id, used, expires, generation)
       VALUES ($1, $2, $3, $4, $5, $6, $7)"""
)
async def insert(db: Database, tenant: TenantId, token_hash: bytes, stored: StoredRefreshToken) -> None: ...


@query(
    """SELECT chain_id, user_id, used, expires, generation FROM refresh_tokens
       WHERE organization_id = $1 AND token_hash = $2 FOR UPDATE"""
)
async def lock(db: Database, tenant: TenantId, token_hash: bytes) -> StoredRefreshToken | None: ...


@query("UPDATE refresh_tokens SET used = true WHERE organization_id = $1 AND token_hash = $2")
async def mark_used(db: Database, tenant: TenantId, token_hash: bytes) -> None: ...


@query("DELETE FROM refresh_tokens WHERE organization_id = $1 AND chain_id = $2")
async def end_chain(db: Database, tenant: TenantId, chain_id: str) -> None: ...


delete_expired = expiry("refresh_tokens", "expires")


@query("SELECT value FROM service_secrets WHERE name = $1")
async def secret(db: Database, name: str) -> bytes | None:
    """A secret of the service itself, encrypted."""


@query("INSERT INTO service_secrets (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
async def insert_secret(db: Database, name: str, sealed: bytes) -> None:
    """The first process to write wins."""
