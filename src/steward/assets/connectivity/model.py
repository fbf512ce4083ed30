"""Whether a device still reports: what the connectivity check looks at, and how it judges."""

from typing import ClassVar

from steward.kit.domain.fields import Record


class DeviceConnectivity(Record, frozen=True):
    """An asset as the check sees it: what it goes by, and what is told of the asset."""

    filter_name: ClassVar[str | None] = "assetId"

    id: str
    name: str
    organization_id: str
    asset_type_id: str
    location_id: str | None
    status: str
    connection_status: bool | None
    is_online: bool | None
    last_seen: int | None
    keep_alive: int
    is_iot_device: bool


def judge(device: DeviceConnectivity, now: int) -> tuple[bool | None, int | None]:
    """Whether it counts as connected, and when to look again although nothing was heard of it.

    A device that is offline needs no look before its next reading, and what is no device keeps what was recorded of it.
    """
    if not device.is_iot_device or device.last_seen is None:
        return device.connection_status, None
    end = device.last_seen + device.keep_alive
    return (True, end + 1) if end >= now else (False, None)
