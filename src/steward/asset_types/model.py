"""Asset types: what the assets of a kind have in common, and the names and units of what they measure."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from steward.kit.db.constraints import Constraints, Taken
from steward.kit.domain.fields import Body, Name, Record, Seconds, Text
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import Detail, Invalid

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


class Property(Body, frozen=True):
    """Something that assets of a type report."""

    key: Annotated[
        str, Meta(min_length=1, max_length=100, pattern=r"\S", description="The key in telemetry.")
    ]
    name: Name
    type: PropertyType
    unit: Annotated[str, Meta(max_length=40, description="Empty where it has none.", examples=["°C"])] = ""


Properties = Annotated[list[Property], Meta(max_length=200, description="Their keys are unique in the type.")]


class AssetType(Record, frozen=True):
    id: str
    name: str
    description: str | None
    is_iot_device: bool
    keep_alive: KeepAlive
    properties: list[Property]
    created: Seconds
    updated: Seconds


class NewAssetType(Body, frozen=True):
    name: Annotated[Name, Meta(description="Unique within the organization.")]
    description: Text | None = None
    is_iot_device: bool = False
    keep_alive: KeepAlive = DAY
    properties: Properties = []


class AssetTypeChanges(Body, frozen=True):
    """`properties` replaces the whole list; a `keepAlive` or `properties` of null goes back to the default."""

    name: Name | UnsetType = UNSET
    description: Text | UnsetType | None = UNSET
    is_iot_device: bool | UnsetType = UNSET
    keep_alive: KeepAlive | UnsetType | None = UNSET
    properties: Properties | UnsetType | None = UNSET


CONSTRAINTS: Constraints = {
    "asset_types_name_unique": Taken("An asset type with this name exists already."),
}


def new_type(new: NewAssetType, now: int) -> AssetType:
    return check(
        AssetType(
            id=new_id("aty"),
            name=new.name,
            description=new.description,
            is_iot_device=new.is_iot_device,
            keep_alive=new.keep_alive,
            properties=new.properties,
            created=now,
            updated=now,
        )
    )


def changed(old: AssetType, changes: AssetTypeChanges) -> AssetType:
    if changes.keep_alive is None:
        changes = replace(changes, keep_alive=DAY)
    if changes.properties is None:
        changes = replace(changes, properties=[])
    return check(apply(old, changes))


def check(kind: AssetType) -> AssetType:
    """A reading names its values by key, so a key means one thing."""
    seen: set[str] = set()
    repeated = []
    for index, known in enumerate(kind.properties):
        if known.key in seen:
            repeated.append(Detail(f"properties[{index}].key", "is used by another property of this type"))
        seen.add(known.key)
    if repeated:
        raise Invalid.of(repeated)
    return kind


def _property(key: str, name: str, kind: PropertyType, unit: str = "") -> Property:
    return Property(key=key, name=name, type=kind, unit=unit)


_F, _I = PropertyType.FLOAT, PropertyType.INTEGER
_TEMPERATURE = _property("Temperature", "Temperature", _F, "°C")
_HUMIDITY = _property("Humidity", "Relative humidity", _F, "%")
_BATTERY = _property("BatteryLevel", "Battery level", _I, "%")

# The sensors that every organization begins with. What they report is numbers, also where there are only two of them.
_SENSORS: tuple[tuple[str, str, list[Property]], ...] = (
    (
        "Air quality sensor",
        "Climate, fine dust and gases in a room.",
        [
            _TEMPERATURE,
            _HUMIDITY,
            _property("CO2", "Carbon dioxide", _I, "ppm"),
            _property("PM2Point5", "Fine dust PM2.5", _F, "µg/m³"),
            _property("PM10", "Fine dust PM10", _F, "µg/m³"),
            _property("TVOC", "Volatile organic compounds", _F, "ppb"),
            _property("HCHO", "Formaldehyde", _F, "mg/m³"),
            _property("Pressure", "Air pressure", _F, "hPa"),
        ],
    ),
    (
        "Water leakage sensor",
        "Reports water where there should be none.",
        [_property("LeakStatus", "Leak (0 dry, 1 water)", _I), _BATTERY],
    ),
    ("Temperature and humidity sensor", "Climate in a room.", [_TEMPERATURE, _HUMIDITY]),
    (
        "Power socket",
        "Measures what is plugged into it.",
        [
            _property("Power", "Power", _F, "W"),
            _property("Voltage", "Voltage", _F, "V"),
            _property("Current", "Current", _F, "A"),
            _property("Energy", "Energy", _F, "kWh"),
        ],
    ),
    (
        "Door and window sensor",
        "Tells whether a door or window is open.",
        [_property("DoorStatus", "Door or window (0 closed, 1 open)", _I), _BATTERY],
    ),
)


def sensor_types(now: int) -> Iterable[AssetType]:
    """What is installed in a new organization."""
    for name, description, properties in _SENSORS:
        new = NewAssetType(name=name, description=description, is_iot_device=True, properties=properties)
        yield new_type(new, now)


EXAMPLE = AssetType(
    id="aty_00064a1b2c3d4e5f60718293a4b5",
    name="Temperature and humidity sensor",
    description="Climate in a room.",
    is_iot_device=True,
    keep_alive=DAY,
    properties=[_TEMPERATURE, _HUMIDITY],
    created=1767225600,
    updated=1767225600,
)
