"""What readings, and the passing of time, mean for one asset. Pure: the asset as it was goes in, what is to be stored comes out."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from steward.alert_rules.evaluation import Cleared, Evaluation, Raised, Seen, evaluate, reevaluate, stay_quiet
from steward.alert_rules.state_machine import CompiledRule
from steward.assets.events import STATUS_CHANGED, TELEMETRY_UPDATED
from steward.assets.model import AssetStatus
from steward.ingest.devices import Device
from steward.ingest.readings import Reading
from steward.kit.db.sql import Row
from steward.kit.domain.ids import new_id
from steward.kit.events.event_types import Event, build_event


class Decision(msgspec.Struct):
    """An asset before and after, and what there is to tell and to note about it."""

    before: Device
    after: Device
    events: list[Event]
    raised: list[Raised]
    cleared: list[Cleared]
    seen: list[Seen]


def new_alert_id() -> str:
    return new_id("alt")


def ordinary(
    row: Row, reading: Reading, rules: Sequence[CompiledRule]
) -> dict[str, bool | int | float] | None:
    """The values that an asset has from now on, where nothing but these changes. So it is with nearly every reading.

    `row` is a Device as it is stored.
    """
    last_seen = row["last_seen"]
    if last_seen is None or reading.at <= last_seen or row["rules_state"] is not None or row["listened_to"]:
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


def undecided(device: Device) -> Decision:
    return Decision(device, device, [], [], [], [])


def take_reading(decision: Decision, reading: Reading, rules: Sequence[CompiledRule], now: int) -> None:
    """One more. If it is older than the newest, it has no say in how the asset is now."""
    device = decision.after
    if device.last_seen is None or reading.at >= device.last_seen:
        decision.after = _take(decision, device, reading, rules, now)


def _take(
    decision: Decision, old: Device, reading: Reading, rules: Sequence[CompiledRule], now: int
) -> Device:
    values = {**old.last_telemetry, **reading.values} if old.last_telemetry else reading.values
    if reading.at == old.last_seen and values == old.last_telemetry:
        return old  # the same reading once more
    new = replace(old, last_telemetry=values, last_seen=reading.at)
    if old.connectivity_due is None and not old.connection_status and old.is_iot_device:
        new = replace(new, connectivity_due=now)
    if rules or old.rule_states:
        verdict = evaluate(
            rules, old.rule_states, old.situation, new.situation, now, new_alert_id=new_alert_id
        )
        new = _judged(decision, new, verdict)
    if old.listened_to:
        told = build_event(TELEMETRY_UPDATED, new, tenant=old.organization_id, now=now, old=old)
        decision.events.append(told)
    if new.status != old.status:
        decision.events.append(_status_changed(old, new, now))
    return new


def look_at(device: Device, rules: Sequence[CompiledRule], now: int) -> Decision:
    """No reading came, but a timer may have run out, or the rules may be others than before."""
    verdict = reevaluate(rules, device.rule_states, device.situation, now, new_alert_id=new_alert_id)
    decision = undecided(device)
    # Here and not with each reading: writing it costs an index entry, and looking too early costs little.
    new = replace(_judged(decision, device, verdict), rules_due=verdict.due)
    if new.status != device.status:
        decision.events.append(_status_changed(device, new, now))
    decision.after = new
    return decision


def _judged(decision: Decision, device: Device, verdict: Evaluation) -> Device:
    decision.raised += verdict.raised
    decision.cleared += verdict.cleared
    decision.seen += verdict.seen
    status = device.status if verdict.status is None else verdict.status
    due = device.rules_due
    if verdict.due is not None and (due is None or verdict.due < due):
        due = verdict.due
    if status == device.status and due == device.rules_due and verdict.rule_states == device.rule_states:
        return device
    return replace(device, status=status, rules_due=due, rule_states=verdict.rule_states)


def _status_changed(old: Device, new: Device, now: int) -> Event:
    return build_event(STATUS_CHANGED, new, tenant=old.organization_id, now=now, old=old)
