"""One rule and one asset: when an alert begins and ends. Pure; all times are whole Unix seconds.

    quiet ──conditions met──▶ pending ──for forSeconds──▶ active ──no more──▶ clearing ──for clearForSeconds──▶ quiet

An asset is silent when its last reading is too old: older than the rule's noDataSeconds, or else than the asset's
keepAlive. Silence is no evidence: it ends a pending state, returns clearing to active, and leaves active as it is. Only a
rule with noDataSeconds raises an alert for it.

A timer counts for the second in which it is due, however late it is checked. A reading counts for its own second: a
timer that is due in the same second comes first.
"""

from enum import StrEnum
from typing import Protocol

import msgspec

from steward.alert_rules.conditions import Test, Values, met_by
from steward.alert_rules.model import AlertRule


class Phase(StrEnum):
    PENDING = "pending"
    ACTIVE = "active"
    CLEARING = "clearing"


class RuleState(msgspec.Struct, frozen=True):
    """A rule's state for an asset; there is none while it is quiet. `alert` is the open one."""

    phase: Phase
    since: int
    alert: str | None = None


class Situation(msgspec.Struct, frozen=True):
    """What is known of an asset: its newest values and their time (None before the first), and its keepAlive."""

    values: Values | None
    last_seen: int | None
    created: int
    keep_alive: int


class CompiledRule(msgspec.Struct, frozen=True):
    """A compiled rule: `met` says whether values raise an alert, `held` whether they keep an open one."""

    id: str
    rule: AlertRule
    met: Test
    held: Test
    for_seconds: int
    clear_for_seconds: int
    no_data_seconds: int | None
    # No timer ends before the rule's last change.
    valid_from: int


class AlertListener(Protocol):
    """Receives raised and cleared alerts, and gives new ones their identifier; `values` is None for silence."""

    def raised(self, rule: CompiledRule, first_seen: int, at: int, values: Values | None) -> str: ...
    def cleared(self, alert_id: str, at: int) -> None: ...


def compile_rule(rule: AlertRule) -> CompiledRule:
    return CompiledRule(
        id=rule.id,
        rule=rule,
        met=met_by(rule.conditions, rule.match),
        held=met_by(rule.conditions, rule.match, rule.hysteresis),
        for_seconds=rule.for_seconds,
        clear_for_seconds=rule.clear_for_seconds,
        no_data_seconds=rule.no_data_seconds,
        valid_from=rule.updated,
    )


def silent_from(rule: CompiledRule, situation: Situation) -> int:
    """The second from which the asset counts as silent, if no reading arrives."""
    if situation.last_seen is None:
        # An asset that never reported is silent from the beginning; a rule can wait for its first reading.
        return situation.created + (rule.no_data_seconds or 0)
    return situation.last_seen + (rule.no_data_seconds or situation.keep_alive)


def next_due(rule: CompiledRule, state: RuleState | None, situation: Situation) -> int | None:
    """When something happens next without a reading; None if nothing will."""
    silence = silent_from(rule, situation)
    if state is None:
        return None if rule.no_data_seconds is None else max(silence, rule.valid_from)
    match state.phase:
        case Phase.PENDING:
            due = min(state.since + rule.for_seconds, silence)
        case Phase.CLEARING:
            due = min(state.since + rule.clear_for_seconds, silence)
        case Phase.ACTIVE:
            return None
    return max(due, state.since, rule.valid_from)


def advance(
    rule: CompiledRule, state: RuleState | None, situation: Situation, until: int, listener: AlertListener
) -> RuleState | None:
    """Runs all timers due up to and including `until`, while the values stay as they are."""
    while (due := next_due(rule, state, situation)) is not None and due <= until:
        state = _step(rule, state, situation, due, listener)
    return state


def observe(
    rule: CompiledRule, state: RuleState | None, situation: Situation, at: int, listener: AlertListener
) -> RuleState | None:
    """Evaluates the situation in the second `at`, such as that of its newest reading.

    A reading can arrive after a timer that was due at a later second than its own; the state doesn't go back in time.
    """
    return _step(rule, state, situation, at if state is None else max(at, state.since), listener)


def _step(
    rule: CompiledRule, state: RuleState | None, situation: Situation, at: int, listener: AlertListener
) -> RuleState | None:
    """Quiet is a pending state that begins now; so is active one that begins to clear."""
    values, silent = situation.values or {}, at >= silent_from(rule, situation)
    if state is None or state.phase is Phase.PENDING:
        since = at if state is None else state.since
        is_met = rule.no_data_seconds is not None if silent else rule.met(values)
        if not is_met:
            return None
        if not silent and at - since < rule.for_seconds:
            return state or RuleState(Phase.PENDING, since)
        alert = listener.raised(rule, since, at, None if silent else values)
        return RuleState(Phase.ACTIVE, at, alert)
    if silent or rule.held(values):
        return state if state.phase is Phase.ACTIVE else RuleState(Phase.ACTIVE, at, state.alert)
    since = at if state.phase is Phase.ACTIVE else state.since
    if at - since < rule.clear_for_seconds:
        return RuleState(Phase.CLEARING, since, state.alert)
    if state.alert is not None:
        listener.cleared(state.alert, at)
    return None
