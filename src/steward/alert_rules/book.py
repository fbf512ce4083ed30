"""The rules of one organization, made ready to judge and found by asset."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from steward.alert_rules.engine import CompiledRule, compiled
from steward.alert_rules.model import AlertRule


class RuleBook:
    """Holds the enabled rules; an asset's own stand beside those of its type."""

    def __init__(self, rules: Iterable[AlertRule]) -> None:
        by_type: dict[str, list[CompiledRule]] = defaultdict(list)
        by_asset: dict[str, list[CompiledRule]] = defaultdict(list)
        for rule in rules:
            if rule.enabled:
                scope, id = (by_type, rule.asset_type_id) if rule.asset_type_id else (by_asset, rule.asset_id)
                scope[id or ""].append(compiled(rule))
        self._by_type = {id: tuple(found) for id, found in by_type.items()}
        self._by_asset = {id: tuple(found) for id, found in by_asset.items()}

    def for_asset(self, asset_id: str, asset_type_id: str) -> Sequence[CompiledRule]:
        of_type = self._by_type.get(asset_type_id, ())
        own = self._by_asset.get(asset_id)
        return of_type if own is None else of_type + own
