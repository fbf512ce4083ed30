"""What readings, and the passing of time, mean for one asset. Pure: the asset as it was goes in, what is to be stored comes out."""

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from steward.alert_rules.alerts.events import CLEARED, RAISED, LocatedAlert
from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.alerts.rules import new_alert, status_before_clearing
from steward.alert_rules.evaluation import Evaluation, evaluate, reevaluate, stay_quiet
from steward.alert_rules.state_machine import CompiledRule
from steward.assets.events import STATUS_CHANGED, TELEMETRY_UPDATED
from steward.assets.model import AssetStatus
from steward.ingest.devices.model import Device
from steward.ingest.model import Decision, Item, ItemResult, Reading, UnreadableItem
from steward.kit.db.sql import Row
from steward.kit.domain.ids import new_id
from steward.kit.domain.problems import Invalid, NotFound, Problem
from steward.kit.events.actor import device_actor
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.security.caller import TenantId

new_alert_id = partial(new_id, "alt")

# Clocks of devices are never quite right; but one that is far ahead would make all of its later readings look old.
MAX_CLOCK_AHEAD_SECONDS = 300


class TimeWindow(msgspec.Struct, frozen=True):
    """The times that readings may have: no further back than the history is kept, and hardly ahead of us."""

    retention_seconds: int

    def moment(self, timestamp: int | None, now: int) -> int:
        if timestamp is None:
            return now
        if timestamp > now + MAX_CLOCK_AHEAD_SECONDS:
            raise Invalid("timestamp", "lies in the future; it is given in Unix seconds")
        if timestamp < now - self.retention_seconds:
            raise Invalid("timestamp", "is older than the history that is kept")
        return timestamp


def reading_of_item(
    item: Item,
    tenant: TenantId,
    ids: Mapping[tuple[TenantId, str], str],
    window: TimeWindow,
    now: int,
) -> Reading | Problem:
    if isinstance(item, UnreadableItem):
        return item.problem
    if (item.asset_id is None) == (item.external_id is None):
        return Invalid("assetId", "give either assetId or externalId")
    asset_id = item.asset_id if item.external_id is None else ids.get((tenant, item.external_id))
    if asset_id is None:
        return NotFound("There is no asset with this externalId.")
    try:
        return Reading(tenant, asset_id, window.moment(item.timestamp, now), item.values)
    except Invalid as problem:
        return problem


def item_result(index: int, item: Item, reading: Reading | None, problem: Problem | None) -> ItemResult:
    """`reading` is what the item became, where it became one."""
    asset_id, at = (item.asset_id, None) if reading is None else (reading.asset_id, reading.at)
    if problem is None:
        return ItemResult(index, True, asset_id, item.external_id, at)
    return ItemResult(
        index, False, asset_id, item.external_id, at, problem.code, problem.message, list(problem.details)
    )


def values_if_nothing_else_changes(
    row: Row, reading: Reading, rules: Sequence[CompiledRule]
) -> dict[str, bool | int | float] | None:
    """The values that an asset has from now on, where nothing but these changes. So it is with nearly every reading.

    `row` is a Device as it is stored.
    """
    last_seen = row["last_seen"]
    if last_seen is None or reading.at <= last_seen or row["rules_state"] is not None or row["has_listeners"]:
        return None
    if not row["connection_status"] and row["connectivity_due"] is None and row["is_iot_device"]:
        return None
    values = {**row["last_telemetry"], **reading.values}
    if rules:
        timed = row["rules_due"] is not None
        if row["status"] != AssetStatus.NORMAL or not stay_quiet(
            rules, values, last_seen, reading.at, timed=timed
        ):
            return None
    return values


def apply_reading(decision: Decision, reading: Reading, rules: Sequence[CompiledRule], now: int) -> None:
    """One more. If it is older than the newest, it has no say in how the asset is now."""
    device = decision.after
    if device.last_seen is None or reading.at >= device.last_seen:
        decision.after = _applied(decision, device, reading, rules, now)


def _applied(
    decision: Decision, old: Device, reading: Reading, rules: Sequence[CompiledRule], now: int
) -> Device:
    values = {**old.last_telemetry, **reading.values} if old.last_telemetry else reading.values
    if reading.at == old.last_seen and values == old.last_telemetry:
        return old  # the same reading once more
    new = replace(old, last_telemetry=values, last_seen=reading.at)
    if old.connectivity_due is None and not old.connection_status and old.is_iot_device:
        new = replace(new, connectivity_due=now)
    if rules or old.rule_states:
        evaluation = evaluate(
            rules, old.rule_states, old.situation, new.situation, now, new_alert_id=new_alert_id
        )
        new = _with_evaluation(decision, new, evaluation, now)
    if old.has_listeners:
        event = build_event(TELEMETRY_UPDATED, new, tenant=old.organization_id, now=now, old=old)
        decision.events.append(event)
    if new.status != old.status:
        decision.events.append(_status_changed(old, new, now))
    return new


def reevaluate_device(device: Device, rules: Sequence[CompiledRule], now: int) -> Decision:
    """No reading came, but a timer may have run out, or the rules may be others than before."""
    evaluation = reevaluate(rules, device.rule_states, device.situation, now, new_alert_id=new_alert_id)
    decision = Decision(device, device)
    # Here and not with each reading: writing it costs an index entry, and looking too early costs little.
    new = replace(_with_evaluation(decision, device, evaluation, now), rules_due=evaluation.due)
    if new.status != device.status:
        decision.events.append(_status_changed(device, new, now))
    decision.after = new
    return decision


def _with_evaluation(decision: Decision, device: Device, evaluation: Evaluation, now: int) -> Device:
    if evaluation.raised:
        decision.raised += evaluation.raised
        decision.events += [
            alert_event(RAISED, device, new_alert(raised, device.id), now) for raised in evaluation.raised
        ]
    decision.cleared += evaluation.cleared
    decision.seen += evaluation.seen
    status = device.status if evaluation.status is None else evaluation.status
    due = device.rules_due
    if evaluation.due is not None and (due is None or evaluation.due < due):
        due = evaluation.due
    if status == device.status and due == device.rules_due and evaluation.rule_states == device.rule_states:
        return device
    return replace(device, status=status, rules_due=due, rule_states=evaluation.rule_states)


def caused_by_device(event: Event, device: Device) -> Event:
    """Readings of many requests are stored together, so the caller of one isn't the actor of all these events."""
    return replace(event, actor=device_actor(device.id))


def alert_cleared(device: Device, alert: Alert, now: int) -> Event:
    old = replace(alert, status=status_before_clearing(alert))
    return alert_event(CLEARED, device, alert, now, old=old)


def alert_event(kind: EventType, device: Device, new: Alert, now: int, *, old: Alert | None = None) -> Event:
    located = partial(LocatedAlert.of, location_id=device.location_id, asset_type_id=device.asset_type_id)
    before = None if old is None else located(old)
    return build_event(kind, located(new), tenant=device.organization_id, now=now, old=before)


def _status_changed(old: Device, new: Device, now: int) -> Event:
    return build_event(STATUS_CHANGED, new, tenant=old.organization_id, now=now, old=old)
