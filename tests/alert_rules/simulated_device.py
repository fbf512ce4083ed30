"""An asset with its rules, driven through readings and looks as the service does it."""

import itertools
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.alert_rules.evaluation import Evaluation, Situation, evaluate, reevaluate, rule_states_of
from steward.alert_rules.model import AlertRule, Condition, ConditionOperator, NewAlertRule, Severity
from steward.alert_rules.rule_index import RuleIndex
from steward.alert_rules.rules import new_alert_rule
from steward.alert_rules.state_machine import RuleState


def condition(key: str, compared: str, value: Any) -> Condition:
    return Condition(key=key, operator=ConditionOperator(compared), value=value)


def rule(
    *conditions: tuple[str, str, Any], severity: str = "Warning", now: int = 0, **fields: Any
) -> AlertRule:
    """For the assets of the type `type`, unless told otherwise."""
    if "asset_id" not in fields:
        fields["asset_type_id"] = "type"
    new = NewAlertRule(
        name="Rule",
        severity=Severity(severity),
        conditions=[condition(*each) for each in conditions],
        **fields,
    )
    return new_alert_rule(new, now)


class SimulatedDevice:
    """Keeps an asset's state as it is stored: what it knows of rules goes through JSON after every step."""

    def __init__(self, *rules: AlertRule, created: int = 0, keep_alive: int = 100) -> None:
        self.situation = Situation(values=None, last_seen=None, created=created, keep_alive=keep_alive)
        self.rules = RuleIndex(rules)
        self.state: Any = None
        self.due: int | None = None
        self.status: str | None = None
        # (rule, "raised", second, first seen, alert), (rule, "cleared", second, alert) and (rule, "seen", second, alert)
        self.log: list[tuple[Any, ...]] = []
        self._numbers = itertools.count(1)
        self._rule_of: dict[str, str] = {}

    def read(self, at: int, now: int | None = None, **values: Any) -> Evaluation:
        before = self.situation
        self.situation = replace(before, values={**(before.values or {}), **values}, last_seen=at)
        return self._take(
            evaluate(
                self._rules, self.rule_states, before, self.situation, now or at, new_alert_id=self._new_id
            )
        )

    def look(self, now: int) -> Evaluation:
        return self._take(
            evaluate(self._rules, self.rule_states, self.situation, None, now, new_alert_id=self._new_id)
        )

    def rules_changed(self, now: int, *rules: AlertRule) -> Evaluation:
        self.rules = RuleIndex(rules)
        return self._take(
            reevaluate(self._rules, self.rule_states, self.situation, now, new_alert_id=self._new_id)
        )

    @property
    def rule_states(self) -> Any:
        return rule_states_of(self.state)

    def watch(self, rule: AlertRule) -> RuleState | None:
        return self.rule_states.get(rule.id)

    def told(self, rule: AlertRule) -> list[tuple[Any, ...]]:
        """What happened to the alerts of a rule: ("raised", second, first seen) and ("cleared", second)."""
        return [entry[1:-1] for entry in self.log if entry[0] == rule.id and entry[1] != "seen"]

    def seen(self, rule: AlertRule) -> list[int]:
        return [entry[2] for entry in self.log if entry[0] == rule.id and entry[1] == "seen"]

    @property
    def _rules(self) -> Any:
        return self.rules.for_asset("asset", "type")

    def _new_id(self) -> str:
        return f"alt_{next(self._numbers)}"

    def _take(self, verdict: Evaluation) -> Evaluation:
        entries: list[tuple[Any, ...]] = []
        for raised in verdict.raised:
            self._rule_of[raised.alert_id] = raised.rule.id
            entries.append((raised.raised_at, 0, "raised", raised.first_seen, raised.alert_id))
        entries += [(seen.at, 1, "seen", seen.alert_id) for seen in verdict.seen]
        # An alert that is cleared in the second in which another is raised was cleared first.
        new = {raised.alert_id for raised in verdict.raised}
        entries += [
            (cleared.cleared_at, 2 if cleared.alert_id in new else -1, "cleared", cleared.alert_id)
            for cleared in verdict.cleared
        ]
        for at, _, what, *rest in sorted(entries, key=lambda entry: entry[:2]):
            self.log.append((self._rule_of[rest[-1]], what, at, *rest))
        self.state = msgspec.json.decode(msgspec.json.encode(verdict.rule_states))
        self.due = verdict.due
        if verdict.status is not None:
            self.status = verdict.status
        return verdict
