from msgspec.structs import replace

from steward.alert_rules.alerts.model import Alert, AlertedAsset, AlertStatus
from steward.alert_rules.conditions import met_by
from steward.alert_rules.model import AlertRule, Match
from steward.alert_rules.rules import JOINED_BY, condition_in_words, duration_in_words, in_words
from steward.kit.domain.moves import Move, Moves

_OPEN = (AlertStatus.ACTIVE, AlertStatus.ACKNOWLEDGED)
MOVES = Moves(
    "alert",
    [
        Move("acknowledge", (AlertStatus.ACTIVE,), AlertStatus.ACKNOWLEDGED),
        # By readings, timers and changes of rules.
        Move("clear", _OPEN, AlertStatus.CLEARED, automatic=True),
    ],
)


def acknowledged(alert: Alert, by: str | None, now: int) -> Alert:
    return replace(alert, acknowledged_by=by, acknowledged_at=now)


def cause(alert: Alert, rule: AlertRule | None, about: AlertedAsset, now: int) -> str:
    """Why there is this alert, in words. An alert doesn't keep the values that raised it: an open one tells those of now."""
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


def _with_values(rule: AlertRule, about: AlertedAsset) -> str:
    known = {each.key: each for each in about.properties}
    values = about.values or {}
    met = [each for each in rule.conditions if met_by([each], Match.ALL)(values)]
    # On its way back, or not all there any more: then what the rule asks for is what there is to tell.
    if not met or (rule.match is Match.ALL and len(met) < len(rule.conditions)):
        return in_words(rule, about.properties)
    words = JOINED_BY[rule.match].join(
        condition_in_words(each, known.get(each.key), values[each.key]) for each in met
    )
    return f"{words} for {duration_in_words(rule.for_seconds)}" if rule.for_seconds else words


def _rounded(seconds: int) -> str:
    """In the two largest units, without what nobody wants to know."""
    return " ".join(duration_in_words(seconds).split()[:4])


def work_order_title(rule: AlertRule | None, about: AlertedAsset) -> str:
    """For the work order that somebody opens because of an alert."""
    wish = rule.work_order.title if rule is not None and rule.work_order else None
    return f"{wish or (rule.name if rule is not None else 'Alert')}: {about.name}"[:200]
