"""Whether a device still reports: the values that the connectivity check reads."""

from typing import ClassVar

from steward.kit.domain.fields import Record
from steward.kit.security.caller import TenantId


class DeviceConnectivity(Record, frozen=True):
    """An asset as the check sees it: what the check needs, and what its events show."""

    filter_name: ClassVar[str | None] = "assetId"
    filterable: ClassVar[tuple[str, ...]] = ("location_id", "asset_type_id")

    id: str
    name: str
    organization_id: TenantId
    asset_type_id: str
    location_id: str | None
    status: str
    connection_status: bool | None
    is_online: bool | None
    last_seen: int | None
    keep_alive: int
    is_iot_device: bool
