from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from steward.alert_rules.model import (
    MAX_RULES,
    MAX_RULES_PER_SCOPE,
    AlertRule,
    AlertRuleChanges,
    Condition,
    ConditionMatch,
    ConditionOperator,
    NewAlertRule,
)
from steward.asset_types.model import PropertyType, TelemetryProperty
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Conflict, Invalid, all_faults
from steward.kit.domain.shared_fields import new_record

SIGNS = {
    ConditionOperator.GT: ">",
    ConditionOperator.GTE: "≥",
    ConditionOperator.LT: "<",
    ConditionOperator.LTE: "≤",
    ConditionOperator.EQ: "=",
    ConditionOperator.NE: "≠",
}
JOINED_BY = {ConditionMatch.ALL: " and ", ConditionMatch.ANY: " or "}
_UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def new_alert_rule(new: NewAlertRule, now: int) -> AlertRule:
    rule = new_record(AlertRule, "arl", new, now)
    with all_faults() as faults:
        if (new.asset_type_id is None) == (new.asset_id is None):
            both = (
                "can't be combined with assetTypeId" if new.asset_id else "is required, or else assetTypeId"
            )
            faults.add("assetId", f"{both}: a rule is for one asset or for all assets of a type")
        faults.check(check, rule)
    return rule


def require_room(rules: int, in_scope: int) -> None:
    if rules >= MAX_RULES:
        raise Conflict(f"An organization has at most {MAX_RULES} alert rules; delete one first.")
    if in_scope >= MAX_RULES_PER_SCOPE:
        raise Conflict(
            f"An asset or asset type has at most {MAX_RULES_PER_SCOPE} alert rules; delete one first."
        )


def changed(old: AlertRule, changes: AlertRuleChanges) -> AlertRule:
    return check(apply(old, changes))


def check(rule: AlertRule) -> AlertRule:
    if not rule.conditions and rule.no_data_seconds is None:
        raise Invalid("conditions", "is empty, and without noDataSeconds the rule would never say anything")
    return rule


def effective_rule(rule: AlertRule | None) -> AlertRule | None:
    """The rule without the fields that don't affect assets; None if it is disabled."""
    if rule is None or not rule.enabled:
        return None
    return replace(rule, name="", work_order=None, created=0, updated=0)


def in_words(rule: AlertRule, properties: Iterable[TelemetryProperty]) -> str:
    """The rule's conditions with the names and units of the asset type: `Temperature > 30 °C for 5 min`."""
    known = {each.key: each for each in properties}
    words = JOINED_BY[rule.match].join(
        condition_in_words(condition, known.get(condition.key)) for condition in rule.conditions
    )
    if words and rule.for_seconds:
        words += f" for {duration_in_words(rule.for_seconds)}"
    if rule.no_data_seconds is None:
        return words
    silence = f"no data for {duration_in_words(rule.no_data_seconds)}"
    return f"{words}, or {silence}" if words else silence.capitalize()


def condition_in_words(
    condition: Condition, known: TelemetryProperty | None, value: Any = None, *, as_of: str = "now "
) -> str:
    """With the value that is compared, if there is one. `known` is what the asset type says of the key."""
    name = known.name if known else condition.key
    if _is_switch(condition.value, known) and condition.operator in (
        ConditionOperator.EQ,
        ConditionOperator.NE,
    ):
        # The present value follows from the condition.
        asked = bool(condition.value) is (condition.operator is ConditionOperator.EQ)
        return f"{name} is {'' if value is None else as_of}{value_in_words(asked, known)}"
    now = "" if value is None else f" {as_of}{value_in_words(value, known)}"
    return f"{name}{now} {SIGNS[condition.operator]} {value_in_words(condition.value, known)}"


def value_in_words(value: Any, known: TelemetryProperty | None) -> str:
    if _is_switch(value, known):
        return "yes" if value else "no"
    text = f"{value:,.2f}".rstrip("0").rstrip(".") if value == 0 or abs(value) >= 0.01 else f"{value:.2g}"
    return f"{text} {known.unit}" if known and known.unit else text


def _is_switch(value: Any, known: TelemetryProperty | None) -> bool:
    return isinstance(value, bool) or (
        known is not None and known.type is PropertyType.BOOLEAN and value in (0, 1)
    )


def duration_in_words(seconds: int) -> str:
    """Exactly, in as many units as needed: `1 h 30 min`."""
    parts = []
    for size, unit in _UNITS:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts) or "0 s"
