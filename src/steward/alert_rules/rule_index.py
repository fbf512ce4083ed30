"""The rules of one organization, indexed by asset and compiled for evaluation."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from steward.alert_rules.model import AlertRule
from steward.alert_rules.state_machine import CompiledRule, compile_rule


class RuleIndex:
    """Holds the enabled rules; an asset's own rules and those of its type apply together.

    Those of one asset or type are compiled at first use: compiling all at once takes long.
    """

    def __init__(self, rules: Iterable[AlertRule]) -> None:
        # By the identifier of the asset or type, which no two share.
        self._rules: dict[str, list[AlertRule]] = defaultdict(list)
        self._compiled: dict[str, tuple[CompiledRule, ...]] = {}
        for rule in rules:
            if rule.enabled:
                self._rules[rule.asset_type_id or rule.asset_id or ""].append(rule)

    def for_asset(self, asset_id: str, asset_type_id: str) -> Sequence[CompiledRule]:
        of_type, own = self._of(asset_type_id), self._of(asset_id)
        return of_type + own if own else of_type

    def _of(self, id: str) -> tuple[CompiledRule, ...]:
        found = self._compiled.get(id)
        if found is None:
            if id not in self._rules:
                return ()
            found = self._compiled[id] = tuple(map(compile_rule, self._rules[id]))
        return found
