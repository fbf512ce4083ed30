"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record
from .shared import PropertyType


class TelemetryProperty(Model, kw_only=True):
    """A key that assets of a type report."""

    key: str
    """The key in telemetry."""
    name: str
    type: PropertyType
    unit: str = ""
    """Empty where it has none."""


class AssetType(Record, kw_only=True):
    id: str
    name: str
    description: str | None
    is_iot_device: bool
    keep_alive: int
    """Seconds without a reading after which a device counts as offline."""
    properties: list[TelemetryProperty]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class AssetTypeChanges(Model, kw_only=True):
    """`properties` replaces the whole list; null resets `keepAlive` or `properties` to the default."""

    name: str | UnsetType = UNSET
    """Unique within the organization."""
    description: str | UnsetType | None = UNSET
    is_iot_device: bool | UnsetType = UNSET
    keep_alive: int | UnsetType | None = UNSET
    """Seconds without a reading after which a device counts as offline."""
    properties: Sequence[TelemetryProperty | Mapping[str, Any]] | UnsetType | None = UNSET
    """Their keys are unique in the type."""


class AssetTypesSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    NAME_DESCENDING = "-name"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    NAME = "name"
    UPDATED = "updated"


AssetTypesSortLike: TypeAlias = (
    AssetTypesSort | Literal["-created", "-name", "-updated", "created", "name", "updated"]
)


class NewAssetType(Model, kw_only=True):
    name: str
    """Unique within the organization."""
    description: str | UnsetType | None = UNSET
    is_iot_device: bool | UnsetType = UNSET
    keep_alive: int | UnsetType = UNSET
    """Seconds without a reading after which a device counts as offline."""
    properties: Sequence[TelemetryProperty | Mapping[str, Any]] | UnsetType = UNSET
    """Their keys are unique in the type."""
