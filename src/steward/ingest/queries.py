"""Stores decisions: the columns of every reading in one statement, rarer changes in one more each."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import msgspec

from steward.alert_rules.alerts.queries import ALERTS
from steward.alert_rules.alerts.rules import new_alert
from steward.alert_rules.evaluation import Raised
from steward.ingest.devices.model import Device
from steward.ingest.model import Decision
from steward.ingest.rules import alert_cleared, caused_by_device
from steward.kit.db.query import Transaction, lines, sql
from steward.kit.db.sharding import among, one_or_several, tenant_number, tenants_to_name
from steward.kit.events.event_types import Event
from steward.kit.events.publish import publish_of_many
from steward.kit.security.caller import TenantId
from steward.telemetry.queries import RECORD, record_again, recorded_columns
from steward.telemetry.series import latest

_tenant = itemgetter(0)
_encode = msgspec.json.Encoder().encode

_TOGETHER = "readings of all tenants are stored together"

_UPDATE = f"""UPDATE assets AS a SET last_telemetry = r.last_telemetry::jsonb, last_seen = r.last_seen
           FROM unnest(string_to_array($1, E'\n'), string_to_array($2, E'\n'), string_to_array($3, E'\n'), $4::bigint[])
                AS r (organization_id, id, last_telemetry, last_seen)
           WHERE a.organization_id = r.organization_id AND a.id = r.id AND {among("a", 5)}"""
_STORE = sql(
    f"""WITH updated AS ({_UPDATE} RETURNING a.id), recorded AS ({RECORD.format("$6", "$7", "$8", "$9")} RETURNING tr.series) SELECT 1""",
    across=_TOGETHER,
)
# The same apart, for a distributed database: the history isn't on the servers of the assets.
_STORE_STATE = sql(_UPDATE, across=_TOGETHER)
_STORE_HISTORY = sql(RECORD.format("$1", "$2", "$3", "$4"), across=_TOGETHER)

_CHANGE_STATE = sql(
    f"""WITH changed AS (
           UPDATE assets AS a
           SET status = r.status, updated = coalesce(r.updated, a.updated), connectivity_due = r.connectivity_due,
               rules_due = r.rules_due, rules_state = r.rules_state::jsonb
           FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])
                AS r (organization_id, id, status, updated, connectivity_due, rules_due, rules_state)
           WHERE a.organization_id = r.organization_id AND a.id = r.id AND {among("a", 8)}
           RETURNING a.id
       )
       SELECT 1""",
    across=_TOGETHER,
)

_RAISE = sql(
    """WITH raised AS (
           INSERT INTO alerts AS al (organization_id, id, asset_id, rule_id, severity, status, first_seen, last_seen, count, wants,
                                     property, operator, value, threshold)
           SELECT r.organization_id, r.id, r.asset_id, r.rule_id, r.severity, 'Active', r.first_seen, r.at, 1, r.wants,
                  r.property, r.operator, r.value, r.threshold
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::jsonb[],
                       $9::text[], $10::text[], $11::jsonb[], $12::jsonb[])
                AS r (organization_id, asset_id, id, rule_id, severity, first_seen, at, wants, property, operator, value, threshold)
           RETURNING al.id
       )
       SELECT 1""",
    across=_TOGETHER,
)

_SEE_AGAIN = sql(
    f"""WITH seen AS (
           UPDATE alerts AS al SET count = al.count + r.times, last_seen = greatest(al.last_seen, r.at)
           FROM (SELECT s.organization_id, s.id, count(*) AS times, max(s.at) AS at
                 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS s (organization_id, id, at)
                 GROUP BY s.organization_id, s.id) r
           WHERE al.organization_id = r.organization_id AND al.id = r.id AND {among("al", 4)}
           RETURNING al.id
       )
       SELECT 1""",
    across=_TOGETHER,
)

_CLEAR = sql(
    f"""WITH cleared AS (
           UPDATE alerts AS al SET status = 'Cleared', cleared_at = r.at
           FROM unnest($1::text[], $2::text[], $3::bigint[]) AS r (organization_id, id, at)
           WHERE al.organization_id = r.organization_id AND al.id = r.id AND {among("al", 4)}
           RETURNING {", ".join(f"al.{column}" for column in ALERTS.columns)}
       )
       SELECT * FROM cleared""",
    across=_TOGETHER,
)


class Columns:
    """The columns that every reading writes: the newest state of its asset, and its line in the history."""

    def __init__(self) -> None:
        self.states: list[tuple[TenantId, str, bytes, int]] = []
        # Readings newer than any of their asset, and readings that may have been recorded before.
        self.recorded: dict[tuple[int, int, int], str] = {}
        self.recorded_again: dict[tuple[int, int, int], str] = {}

    def state(self, tenant: TenantId, asset_id: str, values: Any, last_seen: int) -> None:
        self.states.append((tenant, asset_id, _encode(values), last_seen))

    def history(self, tenant: TenantId, series: int, at: int, values: str, *, is_newest: bool) -> None:
        """`values` as PostgreSQL writes an array. Of two in the same second, the later wins value by value."""
        key = (tenant_number(tenant), series, at)
        rows = self.recorded if is_newest else self.recorded_again
        known = rows.get(key)
        rows[key] = values if known is None else latest(known, values)


async def store(tx: Transaction, columns: Columns, decisions: Sequence[Decision], now: int) -> None:
    for before, after in ((decision.before, decision.after) for decision in decisions):
        if after.last_seen is not None and after.last_telemetry is not before.last_telemetry:
            columns.state(after.organization_id, after.id, after.last_telemetry, after.last_seen)
    if columns.states or columns.recorded:
        rows = columns.states
        tenants, ids, telemetry, seen = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
        named = await tenants_to_name(tx, tenants)
        state = (lines(tenants), lines(ids), b"\n".join(telemetry).decode(), seen, named)
        history = recorded_columns(columns.recorded)

        async def several(within: Transaction) -> None:
            await within.execute(_STORE_STATE, *state)
            await within.execute(_STORE_HISTORY, *history)

        await one_or_several(tx, lambda: tx.execute(_STORE, *state, *history), several)
    if columns.recorded_again:
        await record_again(tx, columns.recorded_again)
    await store_state(tx, decisions, now, by_devices=True)


async def store_state(
    tx: Transaction, decisions: Sequence[Decision], now: int, *, by_devices: bool = False
) -> None:
    """Stores changes beyond the values themselves: for most readings there are none."""
    events: list[tuple[Device, Event]] = []
    states, raised, seen, cleared = [], [], [], []
    for decision in decisions:
        tenant = decision.after.organization_id
        if _state_differs(decision.before, decision.after):
            states.append(_state(decision.before, decision.after, now))
        raised += [
            (tenant, decision.after.id, *_alert(alert, decision.after.id)) for alert in decision.raised
        ]
        seen += [(tenant, *alert) for alert in decision.seen]
        cleared += [(tenant, *alert) for alert in decision.cleared]
        events += [(decision.after, event) for event in decision.events]
    if raised:
        await tx.execute(_RAISE, *map(list, zip(*raised, strict=True)))
    for statement, rows in ((_CHANGE_STATE, states), (_SEE_AGAIN, seen)):
        if rows:
            await tx.execute(
                statement, *map(list, zip(*rows, strict=True)), await tenants_to_name(tx, map(_tenant, rows))
            )
    if cleared:
        devices = {decision.after.id: decision.after for decision in decisions}
        named = await tenants_to_name(tx, map(_tenant, cleared))
        for row in await tx.fetch(_CLEAR, *map(list, zip(*cleared, strict=True)), named):
            alert = ALERTS.load(row)
            device = devices[alert.asset_id]
            events.append((device, alert_cleared(device, alert, now)))
    published = [
        (device.organization_id, caused_by_device(event, device) if by_devices else event)
        for device, event in events
    ]
    await publish_of_many(tx, published, now)


def _state_differs(before: Device, after: Device) -> bool:
    return before is not after and (
        before.status != after.status
        or before.connectivity_due != after.connectivity_due
        or before.rules_due != after.rules_due
        or before.rule_states != after.rule_states
    )


def _state(before: Device, after: Device, now: int) -> tuple[Any, ...]:
    """A new status is a change of the asset, new timers are not."""
    updated = now if before.status != after.status else None
    rule_states = _encode(after.rule_states).decode() if after.rule_states else None
    due = (after.connectivity_due, after.rules_due)
    return (after.organization_id, after.id, after.status, updated, *due, rule_states)


def _alert(raised: Raised, asset_id: str) -> tuple[Any, ...]:
    alert = new_alert(raised, asset_id)
    return (
        *(alert.id, alert.rule_id, alert.severity, alert.first_seen, alert.last_seen),
        raised.rule.rule.work_order,
        *(alert.property, alert.operator, alert.value, alert.threshold),
    )
