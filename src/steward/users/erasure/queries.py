from collections.abc import Collection

from steward.kit.db import search
from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

_ERASE = sql(
    """UPDATE memberships SET name = $3, email = $4, external_id = NULL, metadata = '{}', account_id = $5, made_account = true,
                              search_text = $6, search_grams = $7, erased_at = $8, updated = $8, late_answers_until = $9
       WHERE organization_id = $1 AND user_id = $2"""
)
_CLEAR_ROLES = sql("DELETE FROM membership_roles WHERE organization_id = $1 AND user_id = $2")
_END_TOKENS = sql("DELETE FROM refresh_tokens WHERE organization_id = $1 AND user_id = $2")
_END_SESSIONS = sql("DELETE FROM web_sessions WHERE organization_id = $1 AND user_id = $2")
_WITHDRAW_INVITATIONS = sql(
    "DELETE FROM invitations WHERE organization_id = $1 AND lower(email) = ANY ($2::text[])"
)
_FORGET_RESPONSES = sql(
    """UPDATE delivery_attempts AS a SET response = NULL
       FROM deliveries d
       WHERE a.organization_id = $1 AND d.organization_id = $1 AND a.delivery_id = d.id
         AND d.event_id = ANY($2) AND a.response IS NOT NULL"""
)
_FIND_LATE = sql(
    """SELECT organization_id, user_id FROM memberships WHERE late_answers_until <= $1
       ORDER BY late_answers_until LIMIT $2""",
    across="the clock looks for erased users in every tenant, and then looks through the answers of each by itself",
)
_CLEAR_LATE_ANSWERS = sql(
    "UPDATE memberships SET late_answers_until = NULL WHERE organization_id = $1 AND user_id = ANY($2)"
)


async def erase(
    db: Database,
    tenant: TenantId,
    user_id: str,
    *,
    name: str,
    email: str,
    account_id: str,
    now: int,
    late_answers_until: int,
) -> None:
    searchable = search.text(name, email), search.grams(tenant, name, email)
    values = (name, email, account_id, *searchable, now, late_answers_until)
    await db.execute(_ERASE, tenant, user_id, *values)
    for ending in (_CLEAR_ROLES, _END_TOKENS, _END_SESSIONS):
        await db.execute(ending, tenant, user_id)


async def withdraw_invitations(db: Database, tenant: TenantId, emails: set[str]) -> None:
    await db.execute(_WITHDRAW_INVITATIONS, tenant, [email.lower() for email in emails])


async def forget_responses(db: Database, tenant: TenantId, event_ids: Collection[str]) -> None:
    """What receivers answered when they heard of these events: they may have repeated what they were sent."""
    if event_ids:
        await db.execute(_FORGET_RESPONSES, tenant, list(event_ids))


async def find_late(db: Database, now: int, most: int) -> list[tuple[TenantId, str]]:
    """Erased users of any tenant about whom every receiver has had its say."""
    return [(row[0], row[1]) for row in await db.fetch(_FIND_LATE, now, most)]


async def clear_late_answers(db: Database, tenant: TenantId, ids: list[str]) -> None:
    await db.execute(_CLEAR_LATE_ANSWERS, tenant, ids)
