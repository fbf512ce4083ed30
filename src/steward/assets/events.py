"""Events about assets."""

from functools import partial

from msgspec.structs import replace

from steward.assets.connectivity.model import DeviceConnectivity
from steward.assets.model import EXAMPLE, AssetStatus
from steward.kit.events.event_types import Deleted, Event, build_event, event_type
from steward.kit.security.permissions import Permission

_define = partial(event_type, permission=Permission.ASSETS_READ)

CREATED = _define(
    "asset.created",
    "Asset added.",
    replace(EXAMPLE, status=AssetStatus.ONLINE),
    "id name asset_type_id location_id status metadata created updated",
)
TELEMETRY_UPDATED = _define(
    "asset.telemetry.updated",
    "Sensor reading updates the asset: as often as the device reports.",
    EXAMPLE,
    "id name asset_type_id location_id status connection_status is_online last_telemetry last_seen",
    previous="last_telemetry last_seen",
    all_previous=True,
    was={"last_telemetry": {"Temperature": 21.1, "Humidity": 48.5}, "last_seen": 1767225000},
)
UPDATED = _define(
    "asset.updated",
    "What people wrote about an asset modified.",
    EXAMPLE,
    "id name description asset_type_id location_id external_id keep_alive status metadata archived_at created updated",
    previous="name description asset_type_id location_id external_id keep_alive metadata archived_at",
    was={"name": "Sensor 12"},
)
DELETED = _define("asset.deleted", "Asset removed.", Deleted(EXAMPLE.id), "id deleted")
STATUS_CHANGED = _define(
    "asset.status.changed",
    "Connectivity or operational status changes.",
    EXAMPLE,
    "id name organization_id asset_type_id location_id status connection_status is_online",
    previous="status connection_status",
    was={"connection_status": False},
)


def connectivity_change(device: DeviceConnectivity, *, connected: bool | None, now: int) -> Event:
    """`previousAttributes` holds the recorded status; before the first record it is empty."""
    new = replace(device, connection_status=connected, is_online=connected)
    old = new if device.connection_status is None else device
    return build_event(STATUS_CHANGED, new, tenant=device.organization_id, now=now, old=old)
