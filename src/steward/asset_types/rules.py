from collections.abc import Iterable

from steward.asset_types.model import (
    AssetType,
    AssetTypeChanges,
    NewAssetType,
    PropertyType,
    TelemetryProperty,
)
from steward.kit.domain.patch import apply
from steward.kit.domain.problems import ErrorDetail, refuse_faults, repeated
from steward.kit.domain.shared_fields import new_record


def new_asset_type(new: NewAssetType, now: int) -> AssetType:
    return check(new_record(AssetType, "aty", new, now))


def changed(old: AssetType, changes: AssetTypeChanges) -> AssetType:
    return check(apply(old, changes))


def check(kind: AssetType) -> AssetType:
    """Readings name their values by key, so a key must be unique."""
    refuse_faults(
        ErrorDetail(f"properties[{index}].key", "is used by another property of this type")
        for index in repeated(known.key for known in kind.properties)
    )
    return kind


def _property(key: str, name: str, kind: PropertyType, unit: str = "") -> TelemetryProperty:
    return TelemetryProperty(key=key, name=name, type=kind, unit=unit)


_F, _I = PropertyType.FLOAT, PropertyType.INTEGER
_TEMPERATURE = _property("Temperature", "Temperature", _F, "°C")
_HUMIDITY = _property("Humidity", "Relative humidity", _F, "%")
_BATTERY = _property("BatteryLevel", "Battery level", _I, "%")

# The sensor types of every new organization. All they report is numbers, even where only two values occur.
_SENSORS: tuple[tuple[str, str, list[TelemetryProperty]], ...] = (
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
    """The types installed in a new organization."""
    for name, description, properties in _SENSORS:
        new = NewAssetType(name=name, description=description, is_iot_device=True, properties=properties)
        yield new_asset_type(new, now)
