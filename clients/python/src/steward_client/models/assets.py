"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import ItemError


class AssetStatus(OpenEnum):
    CRITICAL = "Critical"
    NORMAL = "Normal"
    ONLINE = "Online"
    WARNING = "Warning"


AssetStatusLike: TypeAlias = AssetStatus | Literal["Critical", "Normal", "Online", "Warning"]


class Asset(Record, kw_only=True):
    id: str
    name: str
    description: str | None
    external_id: str | None
    """What other systems call it."""
    organization_id: str
    asset_type_id: str
    location_id: str | None
    status: AssetStatus
    """Set by alert rules; `Online` until the first of them."""
    connection_status: bool | None
    """Whether readings keep coming; null before the first check."""
    is_online: bool | None
    """The same as connectionStatus; use that."""
    metadata: dict[str, Any]
    """Free-form: manufacturer, model, serialNumber …"""
    last_telemetry: dict[str, Any] | None
    """Null before the first reading."""
    last_seen: int | None
    """Time of the last reading."""
    keep_alive: int | None
    """The asset's own, or else its type's, in seconds."""
    archived_at: int | None
    """When it was archived; null while it is in sight. Set by archive and restore."""
    created: int
    """Unix seconds."""
    updated: int
    """Time of the last change, not counting readings."""


class AssetChanges(Model, kw_only=True):
    """`metadata` replaces the whole object."""

    name: str | UnsetType = UNSET
    asset_type_id: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    location_id: str | UnsetType | None = UNSET
    metadata: Mapping[str, Any] | UnsetType | None = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""
    keep_alive: int | UnsetType | None = UNSET
    """Seconds without a reading after which a device counts as offline."""


class AssetMove(OpenEnum):
    ARCHIVE = "archive"
    RESTORE = "restore"


AssetMoveLike: TypeAlias = AssetMove | Literal["archive", "restore"]


class NewAsset(Model, kw_only=True):
    name: str
    asset_type_id: str
    description: str | UnsetType | None = UNSET
    external_id: str | UnsetType | None = UNSET
    """What another system calls it; unique within the organization and kind."""
    location_id: str | UnsetType | None = UNSET
    metadata: Mapping[str, Any] | UnsetType = UNSET
    """Free-form: whatever other systems keep with it. Replaced as a whole."""
    keep_alive: int | UnsetType | None = UNSET
    """Seconds; null takes the asset type's."""


class AssetBatchItem(Model, kw_only=True):
    create: NewAsset | Mapping[str, Any] | UnsetType = UNSET
    change: AssetChanges | Mapping[str, Any] | UnsetType = UNSET
    replace: NewAsset | Mapping[str, Any] | UnsetType = UNSET
    id: str | UnsetType = UNSET
    external_id: str | UnsetType = UNSET
    """What another system calls it; unique within the organization and kind."""
    if_match: str | UnsetType = UNSET
    move: AssetMoveLike | UnsetType = UNSET
    body: Mapping[str, Any] | UnsetType = UNSET
    delete: bool | UnsetType = UNSET
    """`true`."""


class AssetBatch(Model, kw_only=True):
    items: Sequence[AssetBatchItem | Mapping[str, Any]]
    atomic: bool | UnsetType = UNSET


class AssetBatchResult(Model, kw_only=True):
    index: int
    status: int
    """What the operation by itself answers."""
    data: Asset | None
    """Null when it was deleted, too."""
    etag: str | None
    """As in the header, with its quotes. For `ifMatch`."""
    error: ItemError | None


class AssetBatchReport(Record, kw_only=True):
    atomic: bool
    succeeded: int
    failed: int
    results: list[AssetBatchResult]


class AssetsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


AssetsSortLike: TypeAlias = (
    AssetsSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)
