"""Alerts: that a rule found something about an asset, from then until it found it gone. One is open per asset and rule."""

from enum import StrEnum
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.alert_rules.model import Severity
from steward.asset_types.model import Property
from steward.kit.db.pagination import PageQuery, SortedPageQuery
from steward.kit.domain.fields import Identifier, Record, Seconds


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
    work_order_id: Annotated[str | None, Meta(description="The work order that it has opened.")]
    acknowledged_by: str | None
    acknowledged_at: Seconds | None
    cleared_at: Seconds | None


class AlertQuery(PageQuery, frozen=True):
    status: AlertStatus | None = None
    severity: Severity | None = None
    asset_id: Identifier | None = None
    rule_id: Identifier | None = None


class OpenAlertQuery(SortedPageQuery, frozen=True):
    """What people look at: what isn't cleared yet, worst first."""

    severity: Severity | None = None
    asset_id: Identifier | None = None
    location_id: Identifier | None = None
    sort: str | None = "-worst"

    def filters(self) -> dict[str, Any]:
        return {**super().filters(), "open": True}


class ClearedAlertQuery(PageQuery, frozen=True):
    """What was, newest first."""

    severity: Severity | None = None
    asset_id: Identifier | None = None
    location_id: Identifier | None = None

    def filters(self) -> dict[str, Any]:
        return {**super().filters(), "status": AlertStatus.CLEARED}


class AlertedAsset(msgspec.Struct, frozen=True):
    """What the cause of an alert is told with: the asset as it is now, and what its type says of its values."""

    id: str
    name: str
    location_id: str | None
    values: dict[str, Any] | None
    last_seen: int | None
    properties: list[Property]


EXAMPLE = Alert(
    id="alt_00064a1b2c3d4e5f60718293a4b5",
    asset_id="ast_00064a1b2c3d4e5f60718293a4b5",
    rule_id="arl_00064a1b2c3d4e5f60718293a4b5",
    severity=Severity.CRITICAL,
    status=AlertStatus.ACTIVE,
    first_seen=1767225600,
    last_seen=1767226200,
    count=10,
    work_order_id="wo_00064a1b2c3d4e5f60718293a4b5",
    acknowledged_by=None,
    acknowledged_at=None,
    cleared_at=None,
)
