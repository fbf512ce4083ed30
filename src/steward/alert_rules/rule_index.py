"""The rules of one organization, indexed by asset and compiled for evaluation."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from steward.alert_rules.model import AlertRule
from steward.alert_rules.state_machine import CompiledRule, compile_rule


class RuleIndex:
    """Holds the enabled rules; an asset's own rules and those of its type apply together."""

    def __init__(self, rules: Iterable[AlertRule]) -> None:
        self._of_types = _RulesByScope()
        self._of_assets = _RulesByScope()
        for rule in rules:
            if rule.enabled:
                scope, id = (
                    (self._of_types, rule.asset_type_id)
                    if rule.asset_type_id
                    else (self._of_assets, rule.asset_id)
                )
                scope.rules[id or ""].append(rule)

    def for_asset(self, asset_id: str, asset_type_id: str) -> Sequence[CompiledRule]:
        of_type = self._of_types.compiled(asset_type_id)
        own = self._of_assets.compiled(asset_id)
        return of_type + own if own else of_type


class _RulesByScope:
    """Rules by what they are for. Each group is compiled at first use: compiling all at once takes long."""

    def __init__(self) -> None:
        self.rules: dict[str, list[AlertRule]] = defaultdict(list)
        self._compiled: dict[str, tuple[CompiledRule, ...]] = {}

    def compiled(self, id: str) -> tuple[CompiledRule, ...]:
        found = self._compiled.get(id)
        if found is None:
            if id not in self.rules:
                return ()
            found = self._compiled[id] = tuple(compile_rule(rule) for rule in self.rules[id])
        return found
