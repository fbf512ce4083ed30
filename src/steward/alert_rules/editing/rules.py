from collections.abc import Sequence
from typing import Any

import msgspec

from steward.alert_rules.editing.model import AlertRuleForm, ConditionRow, DurationFields, TimeUnit
from steward.alert_rules.model import (
    AlertRule,
    AlertRuleChanges,
    AlertWorkOrder,
    Condition,
    Conditions,
    NewAlertRule,
    Threshold,
)
from steward.asset_types.model import DAY
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.web.form import SubmittedForm
from steward.kit.web.form_rows import sent_rows

MAX_CONDITIONS = 20
_BLANK = {"key": "", "operator": "gt", "value": ""}
_SECONDS = {TimeUnit.DAYS: DAY, TimeUnit.HOURS: 3600, TimeUnit.MINUTES: 60, TimeUnit.SECONDS: 1}


def new_rule(form: AlertRuleForm, *, scope: AlertRule | None = None) -> NewAlertRule:
    """For the assets that the form names, or for those of another rule."""
    source = form if scope is None else scope
    if source.asset_type_id is None and source.asset_id is None:
        raise Invalid("assetTypeId", "choose an asset type, or one asset")
    if source.asset_type_id is not None and source.asset_id is not None:
        raise Invalid("assetId", "choose either an asset type or one asset, not both")
    of = {"asset_type_id": source.asset_type_id, "asset_id": source.asset_id}
    return made_from(NewAlertRule, form, **of, **_settings(form))


def changes(form: AlertRuleForm) -> AlertRuleChanges:
    return made_from(AlertRuleChanges, form, **_settings(form))


def _settings(form: AlertRuleForm) -> dict[str, Any]:
    """The fields that the form names differently."""
    no_data = _seconds("noDataTime", form.no_data_time)
    conditions = _conditions(form.conditions)
    if not conditions and not no_data:
        raise Invalid("conditions", "fill in a condition, or how long silence may last")
    wish = None
    if form.work_order_title:
        wish = AlertWorkOrder(title=form.work_order_title, priority=form.work_order_priority)
    return {
        "conditions": conditions,
        "for_seconds": _seconds("forTime", form.for_time),
        "clear_for_seconds": _seconds("clearForTime", form.clear_for_time),
        "hysteresis": form.hysteresis or 0.0,
        "no_data_seconds": no_data or None,
        "work_order": wish,
    }


def _seconds(name: str, given: DurationFields) -> int:
    seconds = round((given.amount or 0) * _SECONDS[given.unit])
    if seconds > 365 * DAY:
        raise Invalid(f"{name}.amount", "use at most 365 days")
    return seconds


def _conditions(rows: Sequence[ConditionRow]) -> list[Condition]:
    found = []
    for number, row in enumerate(rows):
        if row.key is None and row.value is None:
            continue
        if row.key is None or row.value is None:
            missing = "key" if row.key is None else "value"
            raise Invalid(f"conditions.{number}.{missing}", "fill this in")
        try:
            value = msgspec.convert(row.value.strip(), Threshold, strict=False)
        except msgspec.ValidationError:
            raise Invalid(f"conditions.{number}.value", "use a number, or true or false") from None
        found.append(Condition(key=row.key.strip(), operator=row.operator, value=value))
    if len(found) > MAX_CONDITIONS:
        raise Invalid("conditions", f"use at most {MAX_CONDITIONS} conditions")
    return found


def condition_rows(form: SubmittedForm[Any], stored: Conditions) -> list[dict[str, str]]:
    """The rows of the form: those sent or stored, and a blank one."""
    sent = sent_rows(form, "conditions")
    if sent is not None:
        rows = [_BLANK | row for row in sent]
    else:
        rows = [
            {
                "key": each.key,
                "operator": str(each.operator),
                "value": str(each.value).lower() if isinstance(each.value, bool) else f"{each.value!r}",
            }
            for each in stored
        ]
    if not rows or rows[-1]["key"] or rows[-1]["value"]:
        rows.append(_BLANK)
    return rows[: MAX_CONDITIONS + 1]


def duration_fields(rule: AlertRule | None) -> dict[str, tuple[str, str]]:
    """Amount and unit of each duration, as the form shows them."""
    if rule is None:
        return dict.fromkeys(("forTime", "clearForTime", "noDataTime"), ("", "min"))
    return {
        "forTime": _split(rule.for_seconds),
        "clearForTime": _split(rule.clear_for_seconds),
        "noDataTime": _split(rule.no_data_seconds or 0),
    }


def _split(seconds: int) -> tuple[str, str]:
    if not seconds:
        return "", "min"
    unit = next(unit for unit, size in _SECONDS.items() if seconds % size == 0)
    return str(seconds // _SECONDS[unit]), str(unit)
