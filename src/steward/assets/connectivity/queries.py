from collections.abc import Sequence
from typing import NamedTuple

from steward.assets.connectivity.model import DeviceConnectivity
from steward.kit.db.pool import Database
from steward.kit.db.sql import lazy_sql, sql
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId


class Due(NamedTuple):
    since: int
    asset_id: str
    tenant: TenantId


# After a change by people that may end a device's window earlier or later, or bring it under other rules.
_SCHEDULE_CHECK = sql(
    """UPDATE assets SET connectivity_due = CASE WHEN last_seen IS NOT NULL THEN $3::bigint END, rules_due = $3
       WHERE organization_id = $1 AND id = $2"""
)

# Onwards from a device, never by counting: what others have meanwhile done with is no longer there to be counted.
_DUE = sql(
    """SELECT connectivity_due, id, organization_id FROM assets
       WHERE connectivity_due <= $1 AND (connectivity_due, id) > ($2::bigint, $3)
       ORDER BY connectivity_due, id LIMIT $4""",
    across="the check finds due devices of all tenants, and then judges those of each by themselves",
)
# By the identifiers, not by the index of what is due: that holds the due devices of all tenants, and there may be many.
_LOCK_DUE = sql(
    """SELECT a.id, a.name, a.organization_id, a.asset_type_id, a.location_id, a.status, a.connection_status,
              a.connection_status, a.last_seen, coalesce(a.keep_alive, ty.keep_alive), ty.is_iot_device
       FROM assets a JOIN asset_types ty ON ty.organization_id = $1 AND ty.id = a.asset_type_id
       WHERE a.organization_id = $1 AND a.id = ANY ($2::text[]) AND a.connectivity_due + 0 <= $3
       ORDER BY a.id FOR NO KEY UPDATE OF a SKIP LOCKED"""
)


def _writing(*, with_events: bool) -> str:
    events = f", {outbox.outbox_ctes(6)}" if with_events else ""
    return f"""WITH change AS (
                UPDATE assets AS t
                SET connection_status = judged.connected, connectivity_due = judged.due,
                    updated = CASE WHEN t.connection_status IS DISTINCT FROM judged.connected THEN $5 ELSE t.updated END
                FROM unnest($2::text[], $3::boolean[], $4::bigint[]) AS judged (id, connected, due)
                WHERE t.organization_id = $1 AND t.id = judged.id
                RETURNING t.id
            ){events} SELECT count(*) FROM change"""


_WRITE = sql(_writing(with_events=False))
_WRITE_WITH_EVENTS = lazy_sql(lambda: _writing(with_events=True))

_TYPES_TO_RECHECK = sql(
    "SELECT organization_id, id, keep_alive, is_iot_device FROM asset_types WHERE needs_recheck LIMIT $1",
    across="the check applies changed types of all tenants, and then looks after the devices of each by themselves",
)
# Of a type's devices those that would be looked at too late: connected ones whose window now ends before their next look,
# and others whose last reading counts again. What is set here takes them out of the condition, so that repeating it ends.
_LOOK_EARLIER = sql(
    """WITH too_late AS MATERIALIZED (
           SELECT a.id FROM assets a
           WHERE a.organization_id = $1 AND a.asset_type_id = $2 AND a.last_seen IS NOT NULL
             AND CASE WHEN a.connection_status
                      THEN coalesce(a.connectivity_due > a.last_seen + coalesce(a.keep_alive, $3::integer) + 1, true)
                      ELSE a.connectivity_due IS NULL
                           AND (a.connection_status IS NULL OR a.last_seen + coalesce(a.keep_alive, $3) >= $4) END
           ORDER BY a.id LIMIT $5 FOR NO KEY UPDATE
       ), moved AS (
           UPDATE assets AS t
           SET connectivity_due = CASE WHEN t.connection_status
                                       THEN t.last_seen + coalesce(t.keep_alive, $3) + 1 ELSE t.last_seen END
           FROM too_late WHERE t.organization_id = $1 AND t.id = too_late.id
           RETURNING t.id
       )
       SELECT count(*) FROM moved"""
)
# With what was gone by, not with what stands there now: a change meanwhile is applied next.
_MARK_APPLIED = sql(
    "UPDATE asset_types SET applied_keep_alive = $3, applied_iot_device = $4 WHERE organization_id = $1 AND id = $2"
)


async def schedule_check(db: Database, tenant: TenantId, asset_id: str, now: int) -> None:
    """The next check looks at this asset, if it has ever reported."""
    await db.execute(_SCHEDULE_CHECK, tenant, asset_id, now)


async def due(db: Database, now: int, most: int, *, after: Due | None) -> list[Due]:
    """Assets to look at, the longest due first, onwards from one that has been found before."""
    since, id = (after.since, after.asset_id) if after else (-1, "")
    return [Due(*row) for row in await db.fetch(_DUE, now, since, id, most)]


async def lock_due(db: Database, tenant: TenantId, ids: Sequence[str], now: int) -> list[DeviceConnectivity]:
    """Those of them that are still due, without what somebody else is changing right now."""
    return [DeviceConnectivity(*row) for row in await db.fetch(_LOCK_DUE, tenant, ids, now)]


async def write(
    tx: Database,
    tenant: TenantId,
    evaluated: Sequence[tuple[str, bool | None, int | None]],
    events: Sequence[Event],
    now: int,
) -> None:
    """`evaluated` are locked assets, each with its connection status and the time of its next look."""
    columns = [list(column) for column in zip(*evaluated, strict=True)]
    if events:
        await tx.execute(_WRITE_WITH_EVENTS(), tenant, *columns, now, *outbox.parameters(events, now))
        tx.notify(tenant)
    else:
        await tx.execute(_WRITE, tenant, *columns, now)


async def types_to_recheck(db: Database, most: int) -> list[tuple[TenantId, str, int, bool]]:
    """Types that changed in what the check goes by, with what they say now: keepAlive and isIotDevice."""
    return [(row[0], row[1], row[2], row[3]) for row in await db.fetch(_TYPES_TO_RECHECK, most)]


async def look_earlier(
    db: Database, tenant: TenantId, type_id: str, keep_alive: int, now: int, *, most: int
) -> int:
    found: int = await db.fetchval(_LOOK_EARLIER, tenant, type_id, keep_alive, now, most)
    return found


async def mark_applied(
    db: Database, tenant: TenantId, type_id: str, keep_alive: int, *, is_device: bool
) -> None:
    await db.execute(_MARK_APPLIED, tenant, type_id, keep_alive, is_device)
