"""Stores events and their deliveries in the statement that makes the change.

The change, what is told of it and who is to hear it are one statement: a writing CTE whose last parts these are. So there
is no moment in which one is there without the others.
"""

from collections.abc import Sequence
from typing import Any

from steward.kit.events.event_types import Event

PARAMETERS = 7

# One per event and webhook, and the same whoever makes it; sorts by the time of the event.
DELIVERY_ID = "'dlv_' || substr(told.id, 5, 22) || right(w.id, 14)"

# A webhook hears an event of one of its types that its filter lets through. A filter matches when each of its criteria
# names the event's attribute of that name; an event without the attribute matches nothing.
MATCHES = """(w.filter_mode IS NULL OR (w.filter_mode = 'include') = NOT EXISTS (
                   SELECT 1 FROM jsonb_each(w.filter_criteria) criterion
                   WHERE NOT coalesce(criterion.value ? (told.attributes ->> criterion.key), false)))"""


def telling(first: int) -> str:
    """The CTEs that store events given as parameters `$first` and following; `$1` is the organization."""
    ids, types, about, attributes, bodies, created, due = (f"${first + i}" for i in range(PARAMETERS))
    return f"""told AS (
        SELECT * FROM unnest({ids}::text[], {types}::text[], {about}::text[], {attributes}::jsonb[], {bodies}::bytea[])
            AS told (id, type, about, attributes, body)
    ), stored AS (
        INSERT INTO events AS ev (organization_id, id, type, created, about, attributes, body)
        SELECT $1, told.id, told.type, {created}, told.about, told.attributes, told.body FROM told
        RETURNING ev.id
    ), queued AS (
        INSERT INTO deliveries AS dd (organization_id, id, webhook_id, event_id, status, reason, attempts, due, created, finished)
        SELECT $1, {DELIVERY_ID}, w.id, told.id,
               CASE WHEN w.status = 'active' THEN 'pending' ELSE 'skipped' END,
               CASE WHEN w.status = 'active' THEN NULL ELSE 'webhook_' || w.status END,
               0, CASE WHEN w.status = 'active' THEN {due}::bigint END, {created},
               CASE WHEN w.status = 'active' THEN NULL ELSE {due}::bigint END
        FROM told JOIN webhooks w ON w.organization_id = $1 AND told.type = ANY (w.types) AND {MATCHES}
        RETURNING dd.id
    )"""  # noqa: S608 (the parts are literals of ours)


def parameters(events: Sequence[Event], now: int) -> tuple[Any, ...]:
    return (
        [event.id for event in events],
        [event.type for event in events],
        [event.about for event in events],
        [event.attributes for event in events],
        [event.body for event in events],
        now,
        now * 1000,
    )
