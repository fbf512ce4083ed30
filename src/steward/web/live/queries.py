"""One statement for all streams of a tenant each."""

from collections.abc import Mapping

import msgspec

from steward.kit.db.query import Database, Row, query, sql
from steward.kit.security.caller import TenantId
from steward.work_orders.comments.events import COMMENTED

# Newest first: when there are more than this, the rest is of the same few topics.
_MAX_EVENTS = 1000

# Two readings of the same second differ in their values only, so the marker is made of all that is shown.
_CHANGED_VALUES = sql(
    """SELECT * FROM (
           SELECT a.id, a.last_telemetry, a.last_seen, a.status, a.connection_status, w.marker AS known,
                  hashtextextended(
                      concat_ws('|', a.last_seen, a.status, a.connection_status, a.last_telemetry::text), 0
                  ) AS marker
           FROM unnest($2::text[], $3::bigint[]) AS w (id, marker)
           JOIN assets a ON a.organization_id = $1 AND a.id = w.id
       ) AS watched
       WHERE marker IS DISTINCT FROM known"""
)


class NewEvent(msgspec.Struct, frozen=True):
    id: str
    type: str
    about: str
    # Whose record it is about, where it is somebody's own.
    owner: str | None


# Reporters, who follow their own orders alone, get no news of comments for the team.
@query(
    f"""SELECT e.id, e.type, e.about,
               CASE WHEN e.type = '{COMMENTED.name}'
                         AND convert_from(e.body, 'UTF8')::jsonb #>> '{{data,object,comment,visibility}}' = 'team'
                    THEN NULL ELSE w.reported_by END
        FROM (SELECT id, type, about, body FROM events WHERE organization_id = $1 AND id > $2
              ORDER BY id DESC LIMIT {_MAX_EVENTS}) e
        LEFT JOIN work_orders w ON w.organization_id = $1 AND w.id = e.about
        ORDER BY e.id DESC"""
)
async def events_after(db: Database, tenant: TenantId, after_id: str) -> list[NewEvent]: ...


# An alert is raised (a higher identifier), acknowledged, cleared, or gets its work order: one of these moves with each.
@query(
    """SELECT count(*) FILTER (WHERE status = 'Active'), count(*), max(id), count(work_order_id) FROM alerts
       WHERE organization_id = $1 AND status = ANY ('{Active,Acknowledged}')"""
)
async def alerts_marker(db: Database, tenant: TenantId) -> tuple[object, ...]:
    """Is another one once something happened to an open alert, or to one that was."""


async def changed_values(db: Database, tenant: TenantId, known: Mapping[str, int | None]) -> list[Row]:
    """Of the assets by identifier, those whose marker isn't the known one any more."""
    return await db.fetch(_CHANGED_VALUES, tenant, list(known), list(known.values()))
