"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ConditionOperator, Severity


class Acknowledgement(Model, kw_only=True):
    acknowledged_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class AlertStatus(OpenEnum):
    ACKNOWLEDGED = "Acknowledged"
    ACTIVE = "Active"
    CLEARED = "Cleared"


AlertStatusLike: TypeAlias = AlertStatus | Literal["Acknowledged", "Active", "Cleared"]


class Alert(Record, kw_only=True):
    id: str
    asset_id: str
    rule_id: str
    """The rule may be gone by now."""
    severity: Severity
    status: AlertStatus
    first_seen: int
    """When what the rule asks for was first so."""
    last_seen: int
    """When it was last seen to be so."""
    count: int
    """How many readings have shown it."""
    property: str | None
    """The key of the value that raised it; null, with the next three, where no data came."""
    operator: ConditionOperator | None
    value: bool | int | float | None
    """What it was when the alert was raised."""
    threshold: bool | int | float | None
    """What it was held against."""
    work_order_id: str | None
    """The work order that it has opened."""
    acknowledged_by: str | None
    acknowledged_at: int | None
    """Unix seconds."""
    cleared_at: int | None
    """Unix seconds."""


class AlertsSort(OpenEnum):
    FIRST_SEEN_DESCENDING = "-firstSeen"
    FIRST_SEEN = "firstSeen"


AlertsSortLike: TypeAlias = AlertsSort | Literal["-firstSeen", "firstSeen"]
