"""Takes a person out of stored events, whose bodies are otherwise frozen."""

from collections.abc import Mapping
from typing import Any

import msgspec

from steward.kit.db.pool import Database
from steward.kit.db.sql import sql
from steward.kit.security.caller import TenantId

# Longer than a request to a receiver may take, with storing its answer.
UNDER_WAY_SECONDS = 120

_EVENTS_ABOUT = sql("SELECT id, body FROM events WHERE organization_id = $1 AND about = ANY($2)")
_REWRITE_EVENTS = sql(
    """UPDATE events AS e SET body = rewritten.body
       FROM unnest($2::text[], $3::bytea[]) AS rewritten (id, body)
       WHERE e.organization_id = $1 AND e.id = rewritten.id"""
)


async def events_about(db: Database, tenant: TenantId, ids: list[str]) -> dict[str, bytes]:
    """The bodies of the events about these records, by the identifier of the event."""
    return {row[0]: row[1] for row in await db.fetch(_EVENTS_ABOUT, tenant, ids)}


async def erase_events(
    db: Database, tenant: TenantId, events: Mapping[str, bytes], blanks: Mapping[str, Any]
) -> None:
    """`blanks` maps the fields with personal data to what replaces it."""
    bodies = {id: without(body, blanks) for id, body in events.items()}
    changed = {id: body for id, body in bodies.items() if body != events[id]}
    if changed:
        await db.execute(_REWRITE_EVENTS, tenant, list(changed), list(changed.values()))


def without(body: bytes, blanks: Mapping[str, Any]) -> bytes:
    """The body of an event with its personal data replaced."""
    envelope = msgspec.json.decode(body)
    for part in envelope["data"].values():
        part.update({name: value for name, value in blanks.items() if name in part})
    return msgspec.json.encode(envelope)
