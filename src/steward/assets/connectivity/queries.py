from collections.abc import Collection, Sequence
from operator import attrgetter

from steward.assets.connectivity.model import DeviceConnectivity
from steward.kit.db.partitions import first_id
from steward.kit.db.query import Database, Row, query, sql
from steward.kit.db.sharding import among, by_shard, one_or_several, tenants_of, tenants_to_name
from steward.kit.db.sql import lazy_sql
from steward.kit.events import outbox
from steward.kit.events.event_types import Event
from steward.kit.events.publish import publish_of_many
from steward.kit.jobs.drain import DueRecord
from steward.kit.security.caller import TenantId

_ALL_TENANTS = "the check takes devices of many tenants at once, and publishes each change to its own"

# Continues from a time, without the devices left out at that time: not by an offset, since devices that
# others have checked meanwhile are no longer there; and not after a device, since all that went offline in
# one second would be sorted for every batch.
_DUE = sql(
    """SELECT connectivity_due, organization_id, id FROM assets
       WHERE connectivity_due <= $1 AND connectivity_due >= $2 AND organization_id || id <> ALL ($3::text[])
       ORDER BY connectivity_due LIMIT $4""",
    across=_ALL_TENANTS,
)
# By identifier, not by the index of due devices, which may hold many. Nor by the tenants as a list, which
# makes the planner read all of theirs. Only a sharded database gets the list (`among`).
_LOCK_DUE = sql(
    f"""WITH locked AS MATERIALIZED (
           SELECT a.id, a.name, a.organization_id, a.asset_type_id, a.location_id, a.status, a.connection_status, a.last_seen,
                  a.keep_alive
           FROM unnest($1::text[], $2::text[]) AS wanted (organization_id, id)
           JOIN assets a ON a.organization_id = wanted.organization_id AND a.id = wanted.id
           WHERE a.connectivity_due + 0 <= $3 AND {among("a", 4)}
           ORDER BY a.organization_id, a.id FOR NO KEY UPDATE OF a SKIP LOCKED
       )
       SELECT locked.id, locked.name, locked.organization_id, locked.asset_type_id, locked.location_id, locked.status,
              locked.connection_status, locked.connection_status, locked.last_seen, coalesce(locked.keep_alive, ty.keep_alive),
              ty.is_iot_device
       FROM locked JOIN asset_types ty ON ty.organization_id = locked.organization_id AND ty.id = locked.asset_type_id
       WHERE {among("ty", 4)}""",
    across=_ALL_TENANTS,
)
_CONNECTION_CHANGES = sql(
    """SELECT about, created, told -> 'data' -> 'object' ->> 'connectionStatus'
        FROM (SELECT about, created, id, convert_from(body, 'UTF8')::jsonb AS told FROM events
              WHERE organization_id = $1 AND type = 'asset.status.changed' AND id >= $2) e
        WHERE told -> 'data' -> 'previousAttributes' ? 'connectionStatus'
        ORDER BY id LIMIT $3""",
    seconds=20,
)


def _writing(*, with_events: bool) -> str:
    events = f", {outbox.outbox_ctes_of_many(7)}" if with_events else ""
    return f"""WITH change AS (
                UPDATE assets AS t
                SET connection_status = judged.connected, connectivity_due = judged.due,
                    updated = CASE WHEN t.connection_status IS DISTINCT FROM judged.connected THEN $6 ELSE t.updated END
                FROM unnest($2::text[], $3::text[], $4::boolean[], $5::bigint[]) AS judged (organization_id, id, connected, due)
                WHERE t.organization_id = ANY ($1::text[]) AND t.organization_id = judged.organization_id AND t.id = judged.id
                RETURNING t.id
            ){events} SELECT count(*) FROM change"""


_WRITE = sql(_writing(with_events=False), across=_ALL_TENANTS)
_WRITE_WITH_EVENTS = lazy_sql(lambda: _writing(with_events=True), across=_ALL_TENANTS)

_TYPES_TO_RECHECK = sql(
    "SELECT organization_id, id, keep_alive, is_iot_device FROM asset_types WHERE needs_recheck LIMIT $1",
    across="the check applies changed types of all tenants, and then handles the devices of each separately",
)


# After a change by people that may move the end of a device's window, or bring it under other rules.
@query(
    """UPDATE assets SET connectivity_due = CASE WHEN last_seen IS NOT NULL THEN $3::bigint END, rules_due = $3
       WHERE organization_id = $1 AND id = $2"""
)
async def schedule_check(db: Database, tenant: TenantId, asset_id: str, now: int) -> None:
    """The next check looks at this asset, if it has ever reported."""


async def due(
    db: Database, now: int, most: int, since: int, without: Collection[DueRecord]
) -> list[DueRecord]:
    """Assets due for a check since then or later, the longest due first."""
    left = [device.tenant + device.id for device in without]
    return [DueRecord(*row) for row in await db.fetch(_DUE, now, since, left, most)]


async def lock_due(db: Database, found: Collection[DueRecord], now: int) -> list[DeviceConnectivity]:
    """Those of them still due, without rows that are locked by others."""
    locked: list[DeviceConnectivity] = []
    for group in await by_shard(db, found, attrgetter("tenant")):
        tenants, ids = [device.tenant for device in group], [device.id for device in group]
        rows = await db.fetch(_LOCK_DUE, tenants, ids, now, await tenants_to_name(db, tenants))
        locked += [DeviceConnectivity(*row) for row in rows]
    return locked


async def write(
    tx: Database,
    evaluated: Sequence[tuple[TenantId, str, bool | None, int | None]],
    events: Sequence[tuple[TenantId, Event]],
    now: int,
) -> None:
    """`evaluated` are locked assets, each with its connection status and the time of its next check."""

    async def several(within: Database) -> None:
        for group in await by_shard(within, evaluated):
            await within.execute(_WRITE, tenants_of(group), *map(list, zip(*group, strict=True)), now)
        await publish_of_many(within, events, now)

    async def one() -> None:
        columns = [tenants_of(evaluated), *map(list, zip(*evaluated, strict=True)), now]
        await tx.execute(_WRITE_WITH_EVENTS(), *columns, *outbox.parameters_of_many(events, now))
        for tenant in tenants_of(events):
            tx.notify(tenant)

    await (one_or_several(tx, one, several) if events else several(tx))


async def types_to_recheck(db: Database, most: int) -> list[tuple[TenantId, str, int, bool]]:
    """Types whose keepAlive or isIotDevice changed, with the new values."""
    return [(row[0], row[1], row[2], row[3]) for row in await db.fetch(_TYPES_TO_RECHECK, most)]


# A type's devices that would be checked too late: connected ones whose window now ends before their next
# check, and others whose last reading counts again. The update removes them from the condition, so that
# repeating it ends.
@query(
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
async def look_earlier(
    db: Database, tenant: TenantId, type_id: str, keep_alive: int, now: int, *, most: int
) -> int: ...


# With the values that were used, not the present ones: a change meanwhile is applied next.
@query(
    "UPDATE asset_types SET applied_keep_alive = $3, applied_iot_device = $4 WHERE organization_id = $1 AND id = $2"
)
async def mark_applied(
    db: Database, tenant: TenantId, type_id: str, keep_alive: int, *, is_device: bool
) -> None: ...


@query(
    """SELECT a.id, a.name, a.connection_status, a.created FROM assets a
        WHERE a.organization_id = $1 AND a.connection_status IS NOT NULL ORDER BY a.id DESC LIMIT $2"""
)
async def newest_devices(db: Database, tenant: TenantId, most: int) -> list[Row]:
    """(device, name, whether it is connected, created)"""


async def connection_changes(db: Database, tenant: TenantId, since: int, most: int) -> list[Row]:
    """(device, when, `true` or `false`), in order, until now."""
    return await db.fetch(_CONNECTION_CHANGES, tenant, first_id("evt", since), most)
