"""Events about alerts: what was found about which asset, where, and its state."""

from functools import partial
from typing import ClassVar

from msgspec.structs import replace

from steward.alert_rules.alerts.model import EXAMPLE, Alert, AlertStatus
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.event_types import event_type
from steward.kit.security.permissions import Permission

_define = partial(event_type, permission=Permission.IOT_READ)


class LocatedAlert(Alert, frozen=True):
    """An alert with the attributes of its asset that filters use."""

    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_id", "asset_type_id")

    location_id: str | None
    asset_type_id: str

    @classmethod
    def of(cls, alert: Alert, *, location_id: str | None, asset_type_id: str) -> "LocatedAlert":
        return made_from(cls, alert, location_id=location_id, asset_type_id=asset_type_id)


_SHOWN = (
    "id rule_id severity status property operator value threshold asset_id location_id work_order_id count first_seen last_seen "
    "acknowledged_by acknowledged_at cleared_at"
)
_RAISED = replace(
    LocatedAlert.of(
        EXAMPLE,
        location_id="loc_00064a1b2c3d4e5f60718293a4b5",
        asset_type_id="aty_00064a1b2c3d4e5f60718293a4b5",
    ),
    count=1,
    last_seen=EXAMPLE.first_seen,
    work_order_id=None,
)
_SEEN = replace(
    _RAISED,
    status=AlertStatus.ACKNOWLEDGED,
    count=EXAMPLE.count,
    last_seen=EXAMPLE.last_seen,
    work_order_id=EXAMPLE.work_order_id,
    acknowledged_by="usr_00064a1b2c3d4e5f60718293a4b5",
    acknowledged_at=1767226260,
)

RAISED = _define("alert.raised", "An alert rule found something about an asset.", _RAISED, _SHOWN)
ACKNOWLEDGED = _define(
    "alert.acknowledged",
    "Somebody has seen an alert.",
    _SEEN,
    _SHOWN,
    was_status=AlertStatus.ACTIVE,
)
UPDATED = _define(
    "alert.updated",
    "The severity of an open alert has followed its rule, or the work order that it asked for is there.",
    replace(_SEEN, status=AlertStatus.ACTIVE, acknowledged_by=None, acknowledged_at=None),
    _SHOWN,
    previous="severity work_order_id",
    was={"work_order_id": None},
)
CLEARED = _define(
    "alert.cleared",
    "The alert's condition has ended, or its rule was deleted or disabled.",
    replace(_SEEN, status=AlertStatus.CLEARED, cleared_at=1767229200),
    _SHOWN,
    was_status=AlertStatus.ACKNOWLEDGED,
)
