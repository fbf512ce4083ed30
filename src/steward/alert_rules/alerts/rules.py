from steward.alert_rules.alerts.events import ACKNOWLEDGED, CLEARED
from steward.alert_rules.alerts.model import Alert, AlertedAsset, AlertStatus
from steward.alert_rules.conditions import first_met, met_by
from steward.alert_rules.evaluation import Raised
from steward.alert_rules.model import AlertRule, Condition, ConditionMatch
from steward.alert_rules.rules import (
    JOINED_BY,
    condition_in_words,
    duration_in_words,
    in_words,
    value_in_words,
)
from steward.kit.records.moves import Move, MoveDetails, Moves

_ACTIVE, _ACKNOWLEDGED = AlertStatus.ACTIVE, AlertStatus.ACKNOWLEDGED
MOVES: Moves[Alert, MoveDetails] = Moves(
    "alert",
    [
        Move("acknowledge", (_ACTIVE,), _ACKNOWLEDGED, ACKNOWLEDGED, stamp="acknowledged"),
        # By readings, timers and changes of rules.
        Move("clear", (_ACTIVE, _ACKNOWLEDGED), AlertStatus.CLEARED, CLEARED, automatic=True),
    ],
)


def new_alert(raised: Raised, asset_id: str) -> Alert:
    rule = raised.rule.rule
    met = None if raised.values is None else first_met(rule.conditions, raised.values)
    return Alert(
        id=raised.alert_id,
        asset_id=asset_id,
        rule_id=rule.id,
        severity=rule.severity,
        status=AlertStatus.ACTIVE,
        first_seen=raised.first_seen,
        last_seen=raised.raised_at,
        count=1,
        property=met.key if met else None,
        operator=met.operator if met else None,
        value=raised.values[met.key] if met and raised.values else None,
        threshold=met.value if met else None,
        work_order_id=None,
        acknowledged_by=None,
        acknowledged_at=None,
        cleared_at=None,
    )


def status_before_clearing(alert: Alert) -> AlertStatus:
    return AlertStatus.ACTIVE if alert.acknowledged_at is None else AlertStatus.ACKNOWLEDGED


def cause(alert: Alert, rule: AlertRule | None, about: AlertedAsset, now: int) -> str:
    """The alert's cause in words, with the value that raised it where known."""
    if alert.property is not None:
        return _with_raising_value(alert, rule, about)
    if rule is None:
        return "The rule that found this has been deleted"
    if alert.status is AlertStatus.CLEARED:
        return in_words(rule, about.properties)
    silence = rule.no_data_seconds
    if silence is not None and about.last_seen is None:
        return "No data has ever come"
    if silence is not None and about.last_seen is not None and now - about.last_seen >= silence:
        return f"No data for {_rounded(now - about.last_seen)}, allowed are {duration_in_words(silence)}"
    return _with_values(rule, about)


def _with_raising_value(alert: Alert, rule: AlertRule | None, about: AlertedAsset) -> str:
    """Where all conditions had to be met, the others are shown as the rule states them."""
    known = {each.key: each for each in about.properties}
    raising = Condition(key=alert.property, operator=alert.operator, value=alert.threshold)  # type: ignore[arg-type]
    words = [condition_in_words(raising, known.get(raising.key), alert.value, as_of="")]
    if rule is not None and rule.match is ConditionMatch.ALL:
        others = [each for each in rule.conditions if each.key != raising.key]
        words += [condition_in_words(each, known.get(each.key)) for each in others]
    text = JOINED_BY[ConditionMatch.ALL].join(words)
    return f"{text} for {duration_in_words(rule.for_seconds)}" if rule and rule.for_seconds else text


def value_now(alert: Alert, about: AlertedAsset) -> str | None:
    """The value that raised the alert, as it is now."""
    values = about.values or {}
    if alert.property is None or alert.property not in values:
        return None
    known = {each.key: each for each in about.properties}
    return value_in_words(values[alert.property], known.get(alert.property))


def _with_values(rule: AlertRule, about: AlertedAsset) -> str:
    known = {each.key: each for each in about.properties}
    values = about.values or {}
    met = [each for each in rule.conditions if met_by([each], ConditionMatch.ALL)(values)]
    # Recovering, or partly missing: then only the rule's conditions can be named.
    if not met or (rule.match is ConditionMatch.ALL and len(met) < len(rule.conditions)):
        return in_words(rule, about.properties)
    words = JOINED_BY[rule.match].join(
        condition_in_words(each, known.get(each.key), values[each.key]) for each in met
    )
    return f"{words} for {duration_in_words(rule.for_seconds)}" if rule.for_seconds else words


def _rounded(seconds: int) -> str:
    """In the two largest units."""
    return " ".join(duration_in_words(seconds).split()[:4])


def work_order_title(rule: AlertRule | None, about: AlertedAsset) -> str:
    """For a work order that is opened because of an alert."""
    wish = rule.work_order.title if rule is not None and rule.work_order else None
    return f"{wish or (rule.name if rule is not None else 'Alert')}: {about.name}"[:200]
