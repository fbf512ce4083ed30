from typing import Any

from msgspec.structs import replace

from steward.alert_rules.model import (
    MAX_RULES,
    MAX_RULES_PER_SCOPE,
    AlertRule,
    AlertRuleChanges,
    Match,
    NewAlertRule,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, Invalid

_DEFAULTS: dict[str, Any] = {
    "match": Match.ALL,
    "conditions": [],
    "for_seconds": 0,
    "clear_for_seconds": 0,
    "hysteresis": 0.0,
}


def new_alert_rule(new: NewAlertRule, now: int) -> AlertRule:
    if (new.asset_type_id is None) == (new.asset_id is None):
        both = "can't stand beside assetTypeId" if new.asset_id else "is required, or else assetTypeId"
        raise Invalid("assetId", f"{both}: a rule is for one asset or for all assets of a type")
    given = {field: getattr(new, field) for field in new.__struct_fields__}
    return check(AlertRule(id=new_id("arl"), created=now, updated=now, **given))


def require_room(rules: int, in_scope: int) -> None:
    if rules >= MAX_RULES:
        raise Conflict(f"An organization has at most {MAX_RULES} alert rules; delete one first.")
    if in_scope >= MAX_RULES_PER_SCOPE:
        raise Conflict(
            f"An asset or asset type has at most {MAX_RULES_PER_SCOPE} alert rules; delete one first."
        )


def changed(old: AlertRule, changes: AlertRuleChanges) -> AlertRule:
    cleared = {name: value for name, value in _DEFAULTS.items() if getattr(changes, name) is None}
    return check(apply(old, replace(changes, **cleared)))


def check(rule: AlertRule) -> AlertRule:
    if not rule.conditions and rule.no_data_seconds is None:
        raise Invalid("conditions", "is empty, and without noDataSeconds the rule would never say anything")
    return rule


def effective_rule(rule: AlertRule | None) -> AlertRule | None:
    """The rule without what makes no difference to any asset; None where it is for none."""
    if rule is None or not rule.enabled:
        return None
    return replace(rule, name="", work_order=None, created=0, updated=0)
