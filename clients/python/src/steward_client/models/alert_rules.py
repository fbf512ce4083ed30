"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ConditionOperator, Priority, Severity, SeverityLike


class AlertWorkOrder(Model, kw_only=True):
    """The work order that each alert of the rule opens, once."""

    title: str
    priority: Priority = Priority("Medium")


class Condition(Model, kw_only=True):
    """Compares a value of the newest reading with a number; true counts as 1, false as 0.

    A missing value never matches.
    """

    key: str
    """The key in telemetry."""
    operator: ConditionOperator
    value: int | float | bool


class ConditionMatch(OpenEnum):
    ALL = "all"
    ANY = "any"


ConditionMatchLike: TypeAlias = ConditionMatch | Literal["all", "any"]


class AlertRule(Record, kw_only=True):
    id: str
    name: str
    asset_type_id: str | None
    asset_id: str | None
    severity: Severity
    match: ConditionMatch
    conditions: list[Condition]
    for_seconds: int
    clear_for_seconds: int
    hysteresis: float
    no_data_seconds: int | None
    enabled: bool
    work_order: AlertWorkOrder | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class AlertRuleChanges(Model, kw_only=True):
    """`conditions` replaces the whole list; null resets a field to its default."""

    name: str | UnsetType = UNSET
    severity: SeverityLike | UnsetType = UNSET
    match: ConditionMatchLike | UnsetType | None = UNSET
    conditions: Sequence[Condition | Mapping[str, Any]] | UnsetType | None = UNSET
    for_seconds: int | UnsetType | None = UNSET
    """How long the conditions have to be met before there is an alert."""
    clear_for_seconds: int | UnsetType | None = UNSET
    """How long they have to be unmet again before it is cleared."""
    hysteresis: float | UnsetType | None = UNSET
    """How far beyond its threshold a value has to return before it counts as such."""
    no_data_seconds: int | UnsetType | None = UNSET
    """Seconds without a reading that are an alert in themselves; null: none are."""
    enabled: bool | UnsetType = UNSET
    work_order: AlertWorkOrder | Mapping[str, Any] | UnsetType | None = UNSET
    """Null where alerts open no work order."""


class NewAlertRule(Model, kw_only=True):
    """For one of `assetTypeId` and `assetId`, with `conditions`, `noDataSeconds` or both."""

    name: str
    severity: SeverityLike
    asset_type_id: str | UnsetType | None = UNSET
    """Watch all assets of this type."""
    asset_id: str | UnsetType | None = UNSET
    """Watch this asset."""
    match: ConditionMatchLike | UnsetType = UNSET
    conditions: Sequence[Condition | Mapping[str, Any]] | UnsetType = UNSET
    for_seconds: int | UnsetType = UNSET
    """How long the conditions have to be met before there is an alert."""
    clear_for_seconds: int | UnsetType = UNSET
    """How long they have to be unmet again before it is cleared."""
    hysteresis: float | UnsetType = UNSET
    """How far beyond its threshold a value has to return before it counts as such."""
    no_data_seconds: int | UnsetType | None = UNSET
    """Seconds without a reading that are an alert in themselves; null: none are."""
    enabled: bool | UnsetType = UNSET
    work_order: AlertWorkOrder | Mapping[str, Any] | UnsetType | None = UNSET
    """Null where alerts open no work order."""
