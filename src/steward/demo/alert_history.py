"""The month that the sensors have behind them, and what the alert rules made of it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import msgspec
from msgspec.structs import replace

from steward.alert_rules.alerts.model import Alert, AlertStatus
from steward.alert_rules.alerts.rules import MOVES, new_alert
from steward.alert_rules.evaluation import Evaluation, RuleStates, Situation, evaluate
from steward.alert_rules.model import NewAlertRule
from steward.alert_rules.state_machine import CompiledRule
from steward.assets.model import Asset, AssetStatus
from steward.demo.campus import SENSORS, Profile
from steward.demo.faults import faults_at
from steward.demo.fixed_rows import document
from steward.demo.past import DAY, HOUR, MINUTE, IdAt, drawn
from steward.demo.patterns import Values, report, surroundings
from steward.kit.records.moves import MoveDetails

# How long a sensor may be silent.
KEEP_ALIVE = 15 * MINUTE
DAYS = 30


class SensorPast(msgspec.Struct):
    """What a sensor has said, and how its rules stand after that."""

    readings: list[tuple[int, Values]]
    rule_states: RuleStates
    status: AssetStatus = AssetStatus.ONLINE
    rules_due: int | None = None

    @property
    def last(self) -> tuple[int, Values]:
        return self.readings[-1]


def moments(now: int) -> Iterator[int]:
    """Denser towards the present: charts of a month and of a day have about as many points."""
    day, three_days = now - DAY, now - 3 * DAY
    for start, end, step in (
        (now - DAYS * DAY, three_days, HOUR),
        (three_days, day, HOUR // 2),
        (day, now, 10 * MINUTE),
    ):
        yield from range(start, end, step)
    yield now


def past_readings(now: int) -> dict[int, SensorPast]:
    """By the number of the sensor."""
    pasts = {sensor.number: SensorPast([], {}) for sensor in SENSORS}
    for at in moments(now):
        around, faults = surroundings(at), faults_at(at)
        for sensor in SENSORS:
            readings = pasts[sensor.number].readings
            since, before = readings[-1] if readings else (at, None)
            values = report(sensor, around, faults.get(sensor.number), before, since)
            if values is not None:
                readings.append((at, values))
    return pasts


class _RuleRow(msgspec.Struct, frozen=True):
    """A rule for all sensors of a kind, or one for each sensor with a profile; `{sensor}` is its name."""

    rule: msgspec.Raw
    kind: str | None = None
    profile: Profile | None = None


def alert_rules(asset_ids: Mapping[int, str], type_ids: Mapping[str, str]) -> Iterator[NewAlertRule]:
    """By sensor number and by the name of the type."""
    for row in document("alert_rules", list[_RuleRow]):
        if row.kind is not None:
            rule = msgspec.json.decode(row.rule, type=NewAlertRule)
            yield replace(rule, asset_type_id=type_ids[row.kind])
            continue
        for sensor in SENSORS:
            if sensor.profile is row.profile:
                named = bytes(row.rule).replace(b"{sensor}", sensor.name.encode())
                yield replace(
                    msgspec.json.decode(named, type=NewAlertRule), asset_id=asset_ids[sensor.number]
                )


class AlertBook:
    """Evaluates the readings of sensor after sensor, and keeps the alerts that come of it."""

    def __init__(self, id_at: IdAt, technicians: Sequence[str]) -> None:
        self._id_at = id_at
        self._technicians = technicians
        self._random = drawn("alerts")
        self.alerts: dict[str, Alert] = {}

    def evaluate(self, asset: Asset, past: SensorPast, rules: Sequence[CompiledRule]) -> None:
        first, values = past.readings[0]
        # Rules that wait for a first word don't take the years before it for silence.
        before = Situation(values, first, asset.created, KEEP_ALIVE)
        for at, values in past.readings[1:]:
            after = Situation(values, at, asset.created, KEEP_ALIVE)
            found = evaluate(
                rules, past.rule_states, before, after, at, new_alert_id=partial(self._id_at, "alt", at)
            )
            self._note(asset.id, found)
            past.rule_states, past.rules_due = found.rule_states, found.due
            past.status = found.status or past.status
            before = after

    def _note(self, asset_id: str, found: Evaluation) -> None:
        for raised in found.raised:
            self.alerts[raised.alert_id] = new_alert(raised, asset_id)
        for id, at in found.seen:
            alert = self.alerts[id]
            self.alerts[id] = replace(alert, count=alert.count + 1, last_seen=at)
        for id, at in found.cleared:
            alert = self._acknowledged(self.alerts[id], at)
            self.alerts[id] = replace(alert, status=AlertStatus.CLEARED, cleared_at=at)

    def acknowledge_open(self, now: int) -> None:
        for id, alert in self.alerts.items():
            if alert.status is AlertStatus.ACTIVE:
                self.alerts[id] = self._acknowledged(alert, now)

    def _acknowledged(self, alert: Alert, until: int) -> Alert:
        at = alert.first_seen + self._random.randrange(20 * MINUTE, 150 * MINUTE)
        by = self._random.choice(self._technicians)
        if at >= until or self._random.random() < 0.4:
            return alert
        return MOVES.apply(alert, "acknowledge", MoveDetails(at, by))
