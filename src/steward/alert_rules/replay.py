"""What a rule would have found in past readings: the same evaluation, over history. Pure."""

import itertools
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from steward.alert_rules.evaluation import Evaluation, RuleStates, evaluate
from steward.alert_rules.model import AlertRule, Firing, WatchedAsset
from steward.alert_rules.state_machine import Situation, compile_rule
from steward.telemetry.model import DAY_SECONDS, Window

PREVIEW_SECONDS = 7 * DAY_SECONDS
# For one asset, all keys together: with one key a point covers half a minute, with two a minute.
_MAX_POINTS = 20_160

Reading = tuple[int, Mapping[str, float]]


def preview_window(now: int, keys: int) -> Window:
    return Window(now - PREVIEW_SECONDS, now + 1, -(-PREVIEW_SECONDS * max(1, keys) // _MAX_POINTS))


def preview_keys(rule: AlertRule, reported: Sequence[str]) -> set[str]:
    """The keys of its conditions; where silence matters, every key."""
    if rule.no_data_seconds is not None:
        return set(reported)
    return {condition.key for condition in rule.conditions}.intersection(reported)


class RuleReplay:
    """One rule and one asset, from the start of the preview. Nothing is known of the time before."""

    def __init__(self, rule: AlertRule, watched: WatchedAsset, now: int) -> None:
        start = now - PREVIEW_SECONDS
        # As if it had been created then: a rule ignores the time before its last change.
        self._rules = (compile_rule(replace(rule, updated=start)),)
        self._asset = watched
        self._now = now
        self._situation = Situation(None, None, max(watched.created, start), watched.keep_alive)
        self._states: RuleStates = {}
        self._raised: dict[str, int] = {}
        self._cleared: dict[str, int] = {}
        self._numbers = itertools.count()

    def read(self, at: int, values: Mapping[str, float]) -> None:
        after = replace(self._situation, values={**(self._situation.values or {}), **values}, last_seen=at)
        self._take(self._evaluate(after, at))
        self._situation = after

    def finish(self) -> list[Firing]:
        """Advances time to now."""
        self._take(self._evaluate(None, self._now))
        return [
            Firing(self._asset.id, self._asset.name, at, self._cleared.get(alert))
            for alert, at in self._raised.items()
        ]

    def _evaluate(self, after: Situation | None, now: int) -> Evaluation:
        return evaluate(
            self._rules,
            self._states,
            self._situation,
            after,
            now,
            new_alert_id=lambda: str(next(self._numbers)),
        )

    def _take(self, found: Evaluation) -> None:
        self._states = found.rule_states
        for raised in found.raised:
            self._raised[raised.alert_id] = raised.raised_at
        for cleared in found.cleared:
            self._cleared[cleared.alert_id] = cleared.cleared_at
