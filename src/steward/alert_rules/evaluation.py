"""All rules of one asset: what a reading, a timer or a change of rules means for its status and its alerts.
Pure.

This runs for every reading. Most readings find every rule quiet and leave it so, so that case is checked
first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from steward.alert_rules.conditions import Values
from steward.alert_rules.model import Severity
from steward.alert_rules.state_machine import CompiledRule, Phase, RuleState, advance, next_due, observe
from steward.alert_rules.state_machine import Situation as Situation
from steward.assets.model import AssetStatus

RuleStates = Mapping[str, RuleState]
NewAlertId = Callable[[], str]

_NO_STATES: RuleStates = {}
# From mild to severe.
_STATUSES = {Severity.WARNING: AssetStatus.WARNING, Severity.CRITICAL: AssetStatus.CRITICAL}
_RANK = {status: rank for rank, status in enumerate((AssetStatus.NORMAL, *_STATUSES.values()))}


class Raised(NamedTuple):
    """`first_seen` is when the condition began, `raised_at` when it had lasted long enough; `values` are
    those of that time, or None where the cause is silence.
    """

    rule: CompiledRule
    first_seen: int
    raised_at: int
    alert_id: str
    values: Values | None


class Cleared(NamedTuple):
    alert_id: str
    cleared_at: int


class Seen(NamedTuple):
    """A reading that still meets the conditions of an open alert."""

    alert_id: str
    at: int


class Evaluation(msgspec.Struct, frozen=True):
    """`rule_states` is the same mapping as the input if it did not change.

    A `status` of None leaves the asset's. An alert that appears several times is raised, then seen, then
    cleared.
    """

    rule_states: RuleStates
    status: AssetStatus | None
    due: int | None
    raised: Sequence[Raised] = ()
    cleared: Sequence[Cleared] = ()
    seen: Sequence[Seen] = ()


class _AlertRecorder:
    """Collects what happens to alerts while rules are evaluated."""

    def __init__(self, new_alert_id: NewAlertId) -> None:
        self._new_alert_id = new_alert_id
        self.raised_alerts: list[Raised] = []
        self.cleared_alerts: list[Cleared] = []
        self.seen_alerts: list[Seen] = []

    def raised(self, rule: CompiledRule, first_seen: int, at: int, values: Values | None) -> str:
        alert_id = self._new_alert_id()
        self.raised_alerts.append(Raised(rule, first_seen, at, alert_id, values))
        return alert_id

    def cleared(self, alert_id: str, at: int) -> None:
        self.cleared_alerts.append(Cleared(alert_id, at))

    def read(
        self, rule: CompiledRule, state: RuleState | None, after: Situation, at: int
    ) -> RuleState | None:
        """A reading at `at`, and whether it confirms an alert that existed before it."""
        found = observe(rule, state, after, at, self)
        if state is not None and state.alert and found is not None and found.phase is Phase.ACTIVE:
            self.seen_alerts.append(Seen(state.alert, at))
        return found


def rule_states_of(state: Mapping[str, Any] | None) -> RuleStates:
    """An asset's stored rule states."""
    return msgspec.convert(state, dict[str, RuleState]) if state else _NO_STATES


def evaluate(
    rules: Sequence[CompiledRule],
    rule_states: RuleStates,
    before: Situation,
    after: Situation | None,
    now: int,
    *,
    new_alert_id: NewAlertId,
) -> Evaluation:
    """Takes the rules to the reading that makes `before` into `after`, or to `now` if there is none."""
    if not rule_states:
        if not rules:
            return Evaluation(rule_states, None, None)
        if after is not None and _stay_quiet(rules, before, after):
            return Evaluation(rule_states, AssetStatus.NORMAL, _earliest_silence(rules, after))
    recorder = _AlertRecorder(new_alert_id)
    at = None if after is None else after.last_seen
    if after is None or at is None:
        return _evaluate_each(
            rules,
            rule_states,
            before,
            now,
            recorder,
            lambda rule, old: advance(rule, old, before, now, recorder),
        )

    def step(rule: CompiledRule, old: RuleState | None) -> RuleState | None:
        # The reading counts for its own second, so that timers end before it or not at all.
        return recorder.read(rule, advance(rule, old, before, at - 1, recorder), after, at)

    return _evaluate_each(rules, rule_states, after, now, recorder, step)


def reevaluate(
    rules: Sequence[CompiledRule],
    rule_states: RuleStates,
    situation: Situation,
    now: int,
    *,
    new_alert_id: NewAlertId,
) -> Evaluation:
    """Evaluates an asset without a new reading under changed rules, as if its last reading arrived again now."""
    recorder = _AlertRecorder(new_alert_id)

    def step(rule: CompiledRule, old: RuleState | None) -> RuleState | None:
        return observe(rule, advance(rule, old, situation, now, recorder), situation, now, recorder)

    return _evaluate_each(rules, rule_states, situation, now, recorder, step)


def stay_quiet(
    rules: Sequence[CompiledRule], values: Values, since: int, at: int, *, timed: bool = True
) -> bool:
    """Whether rules that are all quiet stay quiet with a reading at `at`, the first after `since`.

    None of them is met, and no silence came before the reading. Where `timed` is false, no timer would find
    the next silence, so a rule that needs one must be evaluated.
    """
    for rule in rules:
        silence = rule.no_data_seconds
        if silence is not None and (not timed or max(since + silence, rule.valid_from) < at):
            return False
        if rule.met(values):
            return False
    return True


def _stay_quiet(rules: Sequence[CompiledRule], before: Situation, after: Situation) -> bool:
    since = before.created if before.last_seen is None else before.last_seen
    return stay_quiet(rules, after.values or {}, since, after.last_seen or 0)


def _earliest_silence(rules: Sequence[CompiledRule], situation: Situation) -> int | None:
    due = None
    for rule in rules:
        if rule.no_data_seconds is not None:
            silence = next_due(rule, None, situation)
            if silence is not None and (due is None or silence < due):
                due = silence
    return due


def _evaluate_each(
    rules: Sequence[CompiledRule],
    rule_states: RuleStates,
    situation: Situation,
    now: int,
    recorder: _AlertRecorder,
    step: Callable[[CompiledRule, RuleState | None], RuleState | None],
) -> Evaluation:
    known = {rule.id for rule in rules}
    for id, state in rule_states.items():
        if id not in known and state.alert is not None:
            recorder.cleared(state.alert, now)
    found: dict[str, RuleState] = {}
    status = AssetStatus.NORMAL if rules or rule_states else None
    due = None
    for rule in rules:
        new = step(rule, rule_states.get(rule.id))
        falls_due = next_due(rule, new, situation)
        if falls_due is not None and (due is None or falls_due < due):
            due = falls_due
        if new is None:
            continue
        found[rule.id] = new
        own = _STATUSES[rule.rule.severity]
        if new.phase is not Phase.PENDING and status is not None and _RANK[own] > _RANK[status]:
            status = own
    return Evaluation(
        rule_states=rule_states if found == rule_states else found,
        status=status,
        due=due,
        raised=recorder.raised_alerts,
        cleared=recorder.cleared_alerts,
        seen=recorder.seen_alerts,
    )
