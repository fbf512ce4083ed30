from collections import defaultdict
from collections.abc import Sequence

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId
from steward.users.password_resets.model import OpenReset, PasswordReset

_REPLACE = sql(
    """INSERT INTO password_resets AS r (account_id, token_hash, generation, expires_at, issued_in, issued_by)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (account_id) DO UPDATE SET
           token_hash = excluded.token_hash, generation = excluded.generation, expires_at = excluded.expires_at,
           issued_in = excluded.issued_in, issued_by = excluded.issued_by"""
)
_FIND = sql(
    """SELECT r.account_id, r.generation, r.expires_at, r.issued_in, r.issued_by, a.email
       FROM password_resets r JOIN accounts a ON a.id = r.account_id AND a.generation = r.generation
       WHERE r.account_id = $1 AND r.token_hash = $2 AND r.expires_at > $3"""
)
_DELETE = sql("DELETE FROM password_resets WHERE account_id = $1")
_OPENED = sql(
    """SELECT m.account_id, o.name FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.account_id = ANY($1::text[]) AND m.status = 'Active' ORDER BY m.created, m.organization_id""",
    across="a person who can't log in has named an e-mail address, and no organization",
)
_USER_IN = sql("SELECT user_id FROM memberships WHERE organization_id = $1 AND account_id = $2")
_DELETE_EXPIRED = sql("DELETE FROM password_resets WHERE expires_at < $1")


async def replace(db: Database, reset: PasswordReset, token_hash: bytes) -> None:
    """An earlier link of the account stops working."""
    await db.execute(
        _REPLACE,
        reset.account_id,
        token_hash,
        reset.generation,
        reset.expires_at,
        reset.issued_in,
        reset.issued_by,
    )


async def find(db: Database, account_id: str, token_hash: bytes, now: int) -> OpenReset | None:
    row = await db.fetchrow(_FIND, account_id, token_hash, now)
    return None if row is None else OpenReset(PasswordReset(*row[:5]), row[5])


async def delete(db: Database, account_id: str) -> None:
    await db.execute(_DELETE, account_id)


async def opened_organizations(db: Database, account_ids: Sequence[str]) -> dict[str, list[str]]:
    """By account, the names of the organizations that it opens now."""
    names: dict[str, list[str]] = defaultdict(list)
    for account_id, name in await db.fetch(_OPENED, list(account_ids)):
        names[account_id].append(name)
    return names


async def user_in(db: Database, tenant: TenantId, account_id: str) -> str | None:
    return await db.fetchval(_USER_IN, tenant, account_id)  # type: ignore[no-any-return]


async def delete_expired(db: Database, now: int) -> None:
    await db.execute(_DELETE_EXPIRED, now)
