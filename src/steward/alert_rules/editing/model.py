"""A rule as its form sends it: rows that may be blank, durations with a unit, and no deeper nesting."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.alert_rules.model import ConditionMatch, ConditionOperator, Severity
from steward.kit.domain.fields import Body, Identifier, Name, Priority


class TimeUnit(StrEnum):
    SECONDS = "s"
    MINUTES = "min"
    HOURS = "h"
    DAYS = "d"


class DurationFields(Body, frozen=True):
    amount: Annotated[float, Meta(ge=0, le=1e9)] | None = None
    unit: TimeUnit = TimeUnit.MINUTES


class ConditionRow(Body, frozen=True):
    """Blank until its key or its value is filled in."""

    key: Annotated[str, Meta(max_length=100)] | None = None
    operator: ConditionOperator = ConditionOperator.GT
    value: Annotated[str, Meta(max_length=40)] | None = None


class RuleSwitch(Body, frozen=True):
    enabled: bool


class AlertRuleForm(Body, frozen=True):
    name: Name
    severity: Severity
    asset_type_id: Identifier | None = None
    asset_id: Identifier | None = None
    match: ConditionMatch = ConditionMatch.ALL
    conditions: list[ConditionRow] = []
    for_time: DurationFields = DurationFields()
    clear_for_time: DurationFields = DurationFields()
    no_data_time: DurationFields = DurationFields()
    hysteresis: Annotated[float, Meta(ge=0, le=1e15)] | None = None
    enabled: bool = True
    work_order_title: Name | None = None
    work_order_priority: Priority = Priority.MEDIUM
