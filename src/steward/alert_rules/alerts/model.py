"""Alerts: what a rule found about an asset, from one time until another. One is open per asset and rule."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.alert_rules.model import ConditionOperator, Severity
from steward.asset_types.model import TelemetryProperty
from steward.kit.domain.fields import ActingPerson, Body, Identifier, Record, Seconds
from steward.kit.domain.list_query import Several
from steward.kit.domain.shared_fields import example_of
from steward.kit.events.topics import Topic
from steward.kit.security.permissions import Permission
from steward.locations.model import LocatedPageQuery

TOPIC = Topic("alerts", Permission.IOT_READ)


class AlertStatus(StrEnum):
    ACTIVE = "Active"
    ACKNOWLEDGED = "Acknowledged"
    CLEARED = "Cleared"


class Alert(Record, frozen=True):
    id: str
    asset_id: str
    rule_id: Annotated[str, Meta(description="The rule may be gone by now.")]
    severity: Severity
    status: AlertStatus
    first_seen: Annotated[Seconds, Meta(description="When what the rule asks for was first so.")]
    last_seen: Annotated[Seconds, Meta(description="When it was last seen to be so.")]
    count: Annotated[int, Meta(description="How many readings have shown it.")]
    property: Annotated[
        str | None,
        Meta(
            description="The key of the value that raised it; null, with the next three, where no data came."
        ),
    ]
    operator: ConditionOperator | None
    value: Annotated[bool | int | float | None, Meta(description="What it was when the alert was raised.")]
    threshold: Annotated[bool | int | float | None, Meta(description="What it was held against.")]
    work_order_id: Annotated[str | None, Meta(description="The work order that it has opened.")]
    acknowledged_by: str | None
    acknowledged_at: Seconds | None
    cleared_at: Seconds | None


class Acknowledgement(Body, frozen=True):
    acknowledged_by: ActingPerson = None


class AlertQuery(LocatedPageQuery, frozen=True):
    status: Several[AlertStatus] | None = None
    severity: Several[Severity] | None = None
    asset_id: Several[Identifier] | None = None
    rule_id: Several[Identifier] | None = None


class OpenAlertQuery(LocatedPageQuery, frozen=True):
    """The current ones: not cleared yet, worst first."""

    severity: Several[Severity] | None = None
    asset_id: Several[Identifier] | None = None
    sort: Several[str] | None = msgspec.field(default_factory=lambda: ["-worst"])

    @staticmethod
    def as_filters(given: dict[str, Any]) -> dict[str, Any]:
        return {**LocatedPageQuery.as_filters(given), "open": True}


class ClearedAlertQuery(LocatedPageQuery, frozen=True):
    """The past ones, newest first."""

    severity: Several[Severity] | None = None
    asset_id: Several[Identifier] | None = None

    @staticmethod
    def as_filters(given: dict[str, Any]) -> dict[str, Any]:
        return {**LocatedPageQuery.as_filters(given), "status": AlertStatus.CLEARED}


class AlertedAsset(msgspec.Struct, frozen=True):
    """What describes an alert's cause: the asset now, and the names and units of its type."""

    id: str
    name: str
    location_id: str | None
    values: dict[str, Any] | None
    last_seen: int | None
    properties: list[TelemetryProperty]


EXAMPLE = example_of(
    Alert,
    id="alt_00064a1b2c3d4e5f60718293a4b5",
    asset_id="ast_00064a1b2c3d4e5f60718293a4b5",
    rule_id="arl_00064a1b2c3d4e5f60718293a4b5",
    severity=Severity.CRITICAL,
    status=AlertStatus.ACTIVE,
    last_seen=1767226200,
    count=10,
    property="Temperature",
    operator=ConditionOperator.GT,
    value=28.4,
    threshold=27,
    work_order_id="wo_00064a1b2c3d4e5f60718293a4b5",
)
