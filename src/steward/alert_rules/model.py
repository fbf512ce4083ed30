"""Alert rules: each watches one asset, or all of a type, and says when one of them needs attention."""

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.asset_types.model import DAY
from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import Body, Identifier, Name, Priority, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several
from steward.kit.domain.shared_fields import changes_of, example_of

# Every reading is evaluated against the rules of its asset and its type, and all rules of an organization are
# loaded at once.
MAX_RULES = 1000
MAX_RULES_PER_SCOPE = 50

# Numbers up to here have the same digits in a request, in storage and in an answer.
_MAX_NUMBER = 10**15


class Severity(StrEnum):
    WARNING = "Warning"
    CRITICAL = "Critical"


class ConditionMatch(StrEnum):
    ALL = "all"
    ANY = "any"


class ConditionOperator(StrEnum):
    GT = "gt"
    GTE = "gte"
    LT = "lt"
    LTE = "lte"
    EQ = "eq"
    NE = "ne"


Threshold = (
    Annotated[int, Meta(ge=-_MAX_NUMBER, le=_MAX_NUMBER)]
    | Annotated[float, Meta(ge=-_MAX_NUMBER, le=_MAX_NUMBER)]
    | bool
)
Duration = Annotated[int, Meta(ge=0, le=365 * DAY, examples=[300])]
Hysteresis = Annotated[float, Meta(ge=0, le=_MAX_NUMBER, examples=[0.5])]
NoData = Annotated[int, Meta(ge=1, le=365 * DAY, examples=[3600])]


class Condition(Body, frozen=True):
    """Compares a value of the newest reading with a number; true counts as 1, false as 0.

    A missing value never matches.
    """

    key: Annotated[
        str, Meta(min_length=1, max_length=100, pattern=r"\S", description="The key in telemetry.")
    ]
    operator: ConditionOperator
    value: Threshold


class AlertWorkOrder(Body, frozen=True):
    """The work order that each alert of the rule opens, once."""

    title: Name
    priority: Priority = Priority.MEDIUM


Conditions = Annotated[list[Condition], Meta(max_length=20)]
_FOR = Meta(description="How long the conditions have to be met before there is an alert.")
_CLEAR_FOR = Meta(description="How long they have to be unmet again before it is cleared.")
_HYSTERESIS = Meta(description="How far beyond its threshold a value has to return before it counts as such.")
_NO_DATA = Meta(description="Seconds without a reading that are an alert in themselves; null: none are.")
_WORK_ORDER = Meta(description="Null where alerts open no work order.")


class AlertRule(Record, frozen=True):
    filterable: ClassVar[tuple[str, ...]] = ("asset_id", "asset_type_id")

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
    created: Seconds
    updated: Seconds


class NewAlertRule(Body, frozen=True):
    """For one of `assetTypeId` and `assetId`, with `conditions`, `noDataSeconds` or both."""

    name: Name
    severity: Severity
    asset_type_id: Annotated[Identifier | None, Meta(description="Watch all assets of this type.")] = None
    asset_id: Annotated[Identifier | None, Meta(description="Watch this asset.")] = None
    match: ConditionMatch = ConditionMatch.ALL
    conditions: Conditions = []
    for_seconds: Annotated[Duration, _FOR] = 0
    clear_for_seconds: Annotated[Duration, _CLEAR_FOR] = 0
    hysteresis: Annotated[Hysteresis, _HYSTERESIS] = 0.0
    no_data_seconds: Annotated[NoData | None, _NO_DATA] = None
    enabled: bool = True
    work_order: Annotated[AlertWorkOrder | None, _WORK_ORDER] = None


_OTHER_SCOPE = "can't be changed; make a new rule for other assets, and delete this one"


@changes_of(
    NewAlertRule,
    without="asset_type_id asset_id",
    resets="match for_seconds clear_for_seconds hysteresis",
)
class AlertRuleChanges(Body, frozen=True):
    """`conditions` replaces the whole list; null resets a field to its default."""

    not_taken = {"assetTypeId": _OTHER_SCOPE, "assetId": _OTHER_SCOPE}

    enabled: bool | UnsetType = UNSET


class AlertRuleQuery(PageQuery, frozen=True):
    asset_type_id: Several[Identifier] | None = None
    asset_id: Several[Identifier] | None = None
    severity: Several[Severity] | None = None
    enabled: bool | None = None


class WatchedAsset(msgspec.Struct, frozen=True):
    """What a replay of a rule over an asset's history needs; `keys` are those of its series, in their order."""

    id: str
    name: str
    created: int
    keep_alive: int
    series: int | None
    keys: list[str]


class Firing(msgspec.Struct, frozen=True):
    """An alert that would have been raised; `cleared_at` is None if it would still be open."""

    asset_id: str
    asset_name: str
    raised_at: int
    cleared_at: int | None


class RulePreview(msgspec.Struct, frozen=True):
    """What a rule would have found: newest first, in `looked_at` of the `assets` that it is for."""

    firings: list[Firing]
    looked_at: int
    assets: int

    @property
    def assets_with_firings(self) -> int:
        return len({firing.asset_id for firing in self.firings})


CONSTRAINTS: Constraints = {
    "alert_rules_type": Reference("assetTypeId", "asset type", "alert rules"),
    "alert_rules_asset": Reference("assetId", "asset", "alert rules"),
}


EXAMPLE = example_of(
    AlertRule,
    id="arl_00064a1b2c3d4e5f60718293a4b5",
    name="Server room too warm",
    asset_type_id="aty_00064a1b2c3d4e5f60718293a4b5",
    severity=Severity.CRITICAL,
    match=ConditionMatch.ALL,
    conditions=[Condition(key="Temperature", operator=ConditionOperator.GT, value=27)],
    for_seconds=300,
    clear_for_seconds=600,
    hysteresis=0.5,
    no_data_seconds=3600,
    enabled=True,
    work_order=AlertWorkOrder(title="Check the cooling", priority=Priority.HIGH),
)
