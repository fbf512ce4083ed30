from collections import defaultdict
from collections.abc import Sequence

from steward.kit.db.query import Database, expiry, query, sql
from steward.kit.security.caller import TenantId
from steward.users.password_resets.model import OpenReset, PasswordReset

_FIND = sql(
    """SELECT r.account_id, r.generation, r.expires_at, r.issued_in, r.issued_by, a.email
       FROM password_resets r JOIN accounts a ON a.id = r.account_id AND a.generation = r.generation
       WHERE r.account_id = $1 AND r.token_hash = $2 AND r.expires_at > $3"""
)
_OPENED = sql(
    """SELECT m.account_id, o.name FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.account_id = ANY($1::text[]) AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person who can't log in has named an e-mail address, and no organization",
)


@query(
    """INSERT INTO password_resets AS r (account_id, generation, expires_at, issued_in, issued_by, token_hash)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (account_id) DO UPDATE SET
           token_hash = excluded.token_hash, generation = excluded.generation, expires_at = excluded.expires_at,
           issued_in = excluded.issued_in, issued_by = excluded.issued_by"""
)
async def replace(db: Database, reset: PasswordReset, token_hash: bytes) -> None:
    """An earlier link of the account stops working."""


async def find(db: Database, account_id: str, token_hash: bytes, now: int) -> OpenReset | None:
    row = await db.fetchrow(_FIND, account_id, token_hash, now)
    return None if row is None else OpenReset(PasswordReset(*row[:5]), row[5])


@query("DELETE FROM password_resets WHERE account_id = $1")
async def delete(db: Database, account_id: str) -> None: ...


async def opened_organizations(db: Database, account_ids: Sequence[str]) -> dict[str, list[str]]:
    """By account, the names of the organizations that it opens now."""
    names: dict[str, list[str]] = defaultdict(list)
    for account_id, name in await db.fetch(_OPENED, list(account_ids)):
        names[account_id].append(name)
    return names


@query("SELECT user_id FROM memberships WHERE organization_id = $1 AND account_id = $2")
async def user_in(db: Database, tenant: TenantId, account_id: str) -> str | None: ...


delete_expired = expiry("password_resets", "expires_at")
