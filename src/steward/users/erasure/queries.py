from collections.abc import Collection, Iterable

from steward.kit.db import search
from steward.kit.db.query import Database, query, sql
from steward.kit.security.caller import TenantId
from steward.users.invitations.events import CREATED as INVITED

_ERASE = sql(
    """UPDATE memberships SET name = $3, email = $4, external_id = NULL, metadata = '{}', account_id = $5, made_account = true,
                              search_text = $6, search_grams = $7, erased_at = $8, updated = $8
       WHERE organization_id = $1 AND user_id = $2"""
)
_CLEAR_ROLES = sql("DELETE FROM membership_roles WHERE organization_id = $1 AND user_id = $2")
_END_TOKENS = sql("DELETE FROM refresh_tokens WHERE organization_id = $1 AND user_id = $2")
_END_SESSIONS = sql("DELETE FROM web_sessions WHERE organization_id = $1 AND user_id = $2")
_WITHDRAW_INVITATIONS = sql(
    "DELETE FROM invitations WHERE organization_id = $1 AND lower(email) = ANY ($2::text[]) RETURNING id"
)
_EVENTS_OF_INVITATIONS = sql(
    f"""SELECT id, body FROM events
        WHERE organization_id = $1 AND type = '{INVITED.name}'
          AND lower(convert_from(body, 'UTF8')::jsonb #>> '{{data,object,email}}') = ANY ($2::text[])"""
)
# Scans all bookings of the organization: erasing is rare. Locked by id, as everywhere, to avoid deadlocks.
_ERASE_ATTENDEE = sql(
    """WITH attended AS (
           SELECT id FROM bookings
           WHERE organization_id = $1 AND attendees <> '[]'
             AND EXISTS (SELECT 1 FROM jsonb_array_elements(attendees) a WHERE lower(a ->> 'email') = ANY ($2::text[]))
           ORDER BY id FOR UPDATE
       )
       UPDATE bookings AS b
       SET attendees = (SELECT jsonb_agg(CASE WHEN lower(a.value ->> 'email') = ANY ($2::text[])
                                              THEN jsonb_build_object('email', $3::text, 'name', $4::text)
                                              ELSE a.value END ORDER BY a.ordinality)
                        FROM jsonb_array_elements(b.attendees) WITH ORDINALITY a),
           updated = $5
       FROM attended
       WHERE b.organization_id = $1 AND b.id = attended.id""",
    seconds=30,
)
_FORGET_RESPONSES = sql(
    """UPDATE delivery_attempts AS a SET response = NULL
       FROM deliveries d
       WHERE a.organization_id = $1 AND d.organization_id = $1 AND a.delivery_id = d.id
         AND d.event_id = ANY($2) AND a.response IS NOT NULL"""
)


async def erase(
    db: Database, tenant: TenantId, user_id: str, *, name: str, email: str, account_id: str, now: int
) -> None:
    searchable = search.text(name, email), search.grams(tenant, name, email)
    await db.execute(_ERASE, tenant, user_id, name, email, account_id, *searchable, now)
    for ending in (_CLEAR_ROLES, _END_TOKENS, _END_SESSIONS):
        await db.execute(ending, tenant, user_id)


async def withdraw_invitations(db: Database, tenant: TenantId, emails: Iterable[str]) -> list[str]:
    """Returns which these were."""
    rows = await db.fetch(_WITHDRAW_INVITATIONS, tenant, [email.lower() for email in emails])
    return [row[0] for row in rows]


async def events_of_invitations(db: Database, tenant: TenantId, emails: Iterable[str]) -> dict[str, bytes]:
    """The bodies of events that show an invitation to one of these addresses, also an accepted one."""
    rows = await db.fetch(_EVENTS_OF_INVITATIONS, tenant, [email.lower() for email in emails])
    return {row[0]: row[1] for row in rows}


async def erase_attendee(
    db: Database, tenant: TenantId, emails: Iterable[str], *, name: str, email: str, now: int
) -> None:
    """Bookings keep their number of attendees."""
    await db.execute(_ERASE_ATTENDEE, tenant, [each.lower() for each in emails], email, name, now)


async def forget_responses(db: Database, tenant: TenantId, event_ids: Collection[str]) -> None:
    """Receivers' answers to these events: they may have repeated what they were sent."""
    if event_ids:
        await db.execute(_FORGET_RESPONSES, tenant, list(event_ids))


@query(
    """INSERT INTO late_answers AS late (organization_id, user_id, due) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, user_id) DO UPDATE SET due = excluded.due"""
)
async def expect_late_answers(db: Database, tenant: TenantId, user_id: str, due: int) -> None: ...


@query(
    "SELECT organization_id, user_id FROM late_answers WHERE due <= $1 ORDER BY due LIMIT $2",
    across="the clock looks for erased users in every tenant, and then looks through the answers of each by itself",
)
async def find_late(db: Database, now: int, most: int) -> list[tuple[TenantId, str]]:
    """Erased users of any tenant about whom no receiver can still answer."""


@query("DELETE FROM late_answers WHERE organization_id = $1 AND user_id = ANY($2)")
async def clear_late_answers(db: Database, tenant: TenantId, ids: list[str]) -> None: ...
