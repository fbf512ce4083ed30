"""Asset types: what assets of a kind share, and the names and units of their readings."""

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from steward.kit.db.constraints import Constraints, Taken
from steward.kit.domain.fields import Body, Name, Record, Seconds, Text
from steward.kit.domain.list_query import SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of

DAY = 86_400

KeepAlive = Annotated[
    int,
    Meta(
        ge=1,
        le=365 * DAY,
        description="Seconds without a reading after which a device counts as offline.",
        examples=[DAY],
    ),
]


class PropertyType(StrEnum):
    FLOAT = "float"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    STRING = "string"


class TelemetryProperty(Body, frozen=True):
    """A key that assets of a type report."""

    key: Annotated[
        str, Meta(min_length=1, max_length=100, pattern=r"\S", description="The key in telemetry.")
    ]
    name: Name
    type: PropertyType
    unit: Annotated[str, Meta(max_length=40, description="Empty where it has none.", examples=["°C"])] = ""


Properties = Annotated[
    list[TelemetryProperty], Meta(max_length=200, description="Their keys are unique in the type.")
]


class AssetType(Record, frozen=True):
    filter_name: ClassVar[str | None] = "assetTypeId"

    id: str
    name: str
    description: str | None
    is_iot_device: bool
    keep_alive: KeepAlive
    properties: list[TelemetryProperty]
    created: Seconds
    updated: Seconds


class NewAssetType(Body, frozen=True):
    name: Annotated[Name, Meta(description="Unique within the organization.")]
    description: Text | None = None
    is_iot_device: bool = False
    keep_alive: KeepAlive = DAY
    properties: Properties = []


@changes_of(NewAssetType, resets="keep_alive")
class AssetTypeChanges(Body, frozen=True):
    """`properties` replaces the whole list; null resets `keepAlive` or `properties` to the default."""


CONSTRAINTS: Constraints = {
    "asset_types_name_unique": Taken("An asset type with this name exists already."),
}


EXAMPLE = example_of(
    AssetType,
    id="aty_00064a1b2c3d4e5f60718293a4b5",
    name="Temperature and humidity sensor",
    description="Climate in a room.",
    is_iot_device=True,
    properties=[
        TelemetryProperty(key="Temperature", name="Temperature", type=PropertyType.FLOAT, unit="°C"),
        TelemetryProperty(key="Humidity", name="Relative humidity", type=PropertyType.FLOAT, unit="%"),
    ],
)


class AssetTypeQuery(SortedPageQuery, frozen=True):
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the name.")] = None
