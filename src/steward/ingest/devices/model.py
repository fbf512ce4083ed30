"""An asset as the intake sees it: how it is, and what its rules are in the middle of."""

from typing import Any, ClassVar

from steward.alert_rules.evaluation import RuleStates, Situation
from steward.assets.model import AssetStatus
from steward.kit.domain.fields import Record
from steward.kit.security.caller import TenantId

DeviceKey = tuple[str, str]


class Device(Record, frozen=True):
    """Its first fields are those of an asset, so that events can be about it."""

    filter_name: ClassVar[str | None] = "assetId"
    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_type_id")

    organization_id: TenantId
    id: str
    name: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    connection_status: bool | None
    is_online: bool | None
    last_telemetry: dict[str, Any] | None
    last_seen: int | None
    created: int
    keep_alive: int
    is_iot_device: bool
    series: int | None
    layout: int | None
    connectivity_due: int | None
    rules_due: int | None
    rule_states: RuleStates
    # Whether each reading is published as an event.
    has_listeners: bool

    @property
    def situation(self) -> Situation:
        return Situation(self.last_telemetry, self.last_seen, self.created, self.keep_alive)
