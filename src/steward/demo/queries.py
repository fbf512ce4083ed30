"""What the demo writes in bulk, and what its simulator looks for."""

from collections.abc import Sequence
from typing import NamedTuple

from steward.kit.db.query import Database, Row, Transaction, lines, query, sql
from steward.kit.db.sharding import tenant_number
from steward.kit.events.event_types import Event
from steward.kit.security.caller import TenantId

_HOURS_IN_BATCH = 10_000
# The last day for which the demo has planned bookings and visits, counted from the year 1.
_PLANNED = "demo: last planned day"

_COUNT_TO = sql(
    """INSERT INTO counters (organization_id, name, last) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id, name) DO UPDATE SET last = excluded.last"""
)
_COUNTED = sql("SELECT last FROM counters WHERE organization_id = $1 AND name = $2")
# These notify no worker: past events are not delivered.
_PAST_EVENTS = sql(
    """INSERT INTO events (organization_id, id, type, created, about, attributes, body, actor, position)
       SELECT $1, e.id, e.type, e.created, e.about, e.attributes, e.body, e.actor, event_position()
       FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::jsonb[], $7::bytea[], $8::text[])
            AS e (id, type, created, about, attributes, body, actor)"""
)
_PAST_HOURS = sql(
    """INSERT INTO telemetry_hours (tenant, series, hour, times, vals)
       SELECT $5::integer, h.series, h.hour, h.times::smallint[], h.vals::double precision[]
       FROM unnest($1::integer[], $2::integer[], string_to_array($3, E'\n'), string_to_array($4, E'\n'))
            AS h (series, hour, times, vals)""",
    seconds=60,
)
_DEVICE_STATES = sql(
    """UPDATE assets AS a SET rules_state = d.rules_state::jsonb, rules_due = d.rules_due,
                              connectivity_due = d.connectivity_due
       FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[])
            AS d (id, rules_state, rules_due, connectivity_due)
       WHERE a.organization_id = $1 AND a.id = d.id"""
)


_COMMANDS = sql(
    """SELECT id, asset_id FROM commands
       WHERE organization_id = $1 AND status = 'queued' AND via = 'mqtt' ORDER BY id LIMIT 20"""
)


class PastHour(NamedTuple):
    """`times` and `values` as PostgreSQL writes arrays."""

    series: int
    hour: int
    times: str
    values: str


class DeviceState(NamedTuple):
    asset_id: str
    rules_state: str | None
    rules_due: int | None
    connectivity_due: int | None


async def count_orders(db: Database, tenant: TenantId, last: int) -> None:
    """The next order gets the number after this."""
    await db.execute(_COUNT_TO, tenant, "work order", last)


async def planned_until(db: Database, tenant: TenantId) -> int:
    return int(await db.fetchval(_COUNTED, tenant, _PLANNED) or 0)


async def set_planned_until(db: Database, tenant: TenantId, day: int) -> None:
    await db.execute(_COUNT_TO, tenant, _PLANNED, day)


async def insert_events(db: Database, tenant: TenantId, events: Sequence[Event]) -> None:
    rows = [(one.id, one.type, one.created, one.about, one.attributes, one.body, one.actor) for one in events]
    await db.execute(_PAST_EVENTS, tenant, *map(list, zip(*rows, strict=True)))


async def insert_hours(tx: Transaction, tenant: TenantId, hours: Sequence[PastHour]) -> None:
    for start in range(0, len(hours), _HOURS_IN_BATCH):
        series, numbers, times, values = zip(*hours[start : start + _HOURS_IN_BATCH], strict=True)
        await tx.execute(_PAST_HOURS, series, numbers, lines(times), lines(values), tenant_number(tenant))


async def set_device_states(db: Database, tenant: TenantId, states: Sequence[DeviceState]) -> None:
    await db.execute(_DEVICE_STATES, tenant, *map(list, zip(*states, strict=True)))


@query(
    """SELECT external_id, id, last_telemetry, last_seen FROM assets
       WHERE organization_id = $1 AND external_id = ANY ($2::text[])"""
)
async def sensors(db: Database, tenant: TenantId, external_ids: Sequence[str]) -> dict[str, Row]:
    """Those that are still there, by what they are called outside: `id`, `last_telemetry`, `last_seen`."""


@query("SELECT email, user_id FROM memberships WHERE organization_id = $1 AND status = 'Active'")
async def users(db: Database, tenant: TenantId) -> dict[str, str]:
    """By their e-mail address."""


@query("SELECT name, id FROM roles WHERE organization_id = $1")
async def roles(db: Database, tenant: TenantId) -> dict[str, str]: ...


@query("SELECT name, id FROM asset_types WHERE organization_id = $1")
async def asset_types(db: Database, tenant: TenantId) -> dict[str, str]: ...


@query("SELECT code, id FROM locations WHERE organization_id = $1 AND code IS NOT NULL")
async def places(db: Database, tenant: TenantId) -> dict[str, str]:
    """Locations by their code."""


@query(
    """SELECT id, resource_name, start_time FROM bookings
       WHERE organization_id = $1 AND status = 'Confirmed' AND release_at > $2 AND start_time <= $2 + 120
         AND booked_by = ANY ($3::text[])
       ORDER BY start_time LIMIT 20"""
)
async def expected_bookings(db: Database, tenant: TenantId, now: int, people: Sequence[str]) -> list[Row]:
    """Of these people, who may check in by now: `id`, `resource_name`, `start_time`."""


@query(
    """SELECT id, status, expected_arrival, checked_in_at FROM visitors
       WHERE organization_id = $1 AND status IN ('Registered', 'CheckedIn') AND email LIKE '%@' || $3
         AND expected_arrival BETWEEN $2::bigint - 86400 AND $2::bigint
       ORDER BY id LIMIT 50"""
)
async def due_visitors(db: Database, tenant: TenantId, now: int, domain: str) -> list[Row]: ...


@query(
    """SELECT id, status, assignee_id, created, updated FROM work_orders
       WHERE organization_id = $1 AND status IN ('Open', 'InProgress') AND reported_by IS NULL
         AND asset_id IS NOT NULL AND updated < $2
         AND (assignee_id IS NULL OR assignee_id = ANY ($3::text[]))
       ORDER BY id LIMIT 5"""
)
async def orders_of_alerts(
    db: Database, tenant: TenantId, before: int, technicians: Sequence[str]
) -> list[Row]:
    """Opened by alerts, untouched since `before`, and nobody's but these technicians'."""


@query(
    """SELECT id, asset_id FROM commands
       WHERE organization_id = $1 AND status = 'queued' AND via = 'mqtt' ORDER BY id LIMIT 20"""
)
async def commands(db: Database, tenant: TenantId) -> list[tuple[str, str]]:
    """Those that wait for a device, oldest first: (command, asset)."""
