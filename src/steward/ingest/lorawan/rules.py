"""From what network servers send to values by key. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from steward.ingest.lorawan.model import ChirpStackEvent, TtnMessage, TtnUplink, Uplink, Values
from steward.ingest.model import Values as ReadingValues
from steward.kit.domain.problems import Invalid

_RFC_3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)")
# Far more than a device can send; what isn't a number is ignored, but looked at.
_MAX_DECODED = 1000
# No key of a reading is as long as the way to something this deep.
_MAX_DEPTH = 100
_NOT_DECODED = "holds nothing: the network server has to decode the payload; give the device's profile or application a decoder"


# What network servers themselves know of a device.
BATTERY_LEVEL, EXTERNAL_POWER, LINK_MARGIN = "BatteryLevel", "ExternalPower", "LinkMargin"


def chirpstack_uplink(event: ChirpStackEvent) -> Uplink:
    return _uplink(_chirpstack_eui(event), ("object", event.object), [("time", event.time)])


def chirpstack_status(event: ChirpStackEvent) -> Uplink:
    """Sent where the device answers the network's question how it is. A device without a battery has no level."""
    values: Values = {}
    if event.external_power_source:
        values[EXTERNAL_POWER] = True
    # What is 0 is left out of the event: so is the level that there isn't.
    elif event.battery_level and not event.battery_level_unavailable:
        values[BATTERY_LEVEL] = event.battery_level
    if event.margin is not None:
        values[LINK_MARGIN] = event.margin
    return _heard(_chirpstack_eui(event), values, [("time", event.time)])


def chirpstack_join(event: ChirpStackEvent) -> Uplink:
    return _heard(_chirpstack_eui(event), {}, [("time", event.time)])


def _chirpstack_eui(event: ChirpStackEvent) -> tuple[str, str | None]:
    return "deviceInfo.devEui", event.device_info.dev_eui if event.device_info else None


# The events that come from a device, by ChirpStack's names.
CHIRPSTACK_HEARD = {"up": chirpstack_uplink, "status": chirpstack_status, "join": chirpstack_join}


def ttn_heard(message: TtnMessage) -> Uplink | None:
    """None where the message is of nothing that a device has sent."""
    if message.uplink_message is not None:
        return _ttn_uplink(message, message.uplink_message)
    if message.join_accept is not None:
        times = [
            ("join_accept.received_at", message.join_accept.received_at),
            ("received_at", message.received_at),
        ]
        return _heard(_ttn_eui(message), {}, times)
    return None


def _ttn_eui(message: TtnMessage) -> tuple[str, str | None]:
    return "end_device_ids.dev_eui", message.end_device_ids.dev_eui if message.end_device_ids else None


def _ttn_uplink(message: TtnMessage, uplink: TtnUplink) -> Uplink:
    # The network server's clock is better than the gateway's, and closer to the device than the application server's.
    times = [
        ("uplink_message.received_at", uplink.received_at),
        ("received_at", message.received_at),
        ("uplink_message.settings.time", uplink.settings.time if uplink.settings else None),
    ]
    payload = ("uplink_message.decoded_payload", uplink.decoded_payload)
    found = _uplink(_ttn_eui(message), payload, times)
    battery = uplink.last_battery_percentage
    if battery is None or battery.value is None or BATTERY_LEVEL.lower() in map(str.lower, found.values):
        return found
    return replace(found, values={**found.values, BATTERY_LEVEL: battery.value})


def spellings(eui: str) -> list[str]:
    """How the asset may be called; network servers differ in how they write the same EUI."""
    return list(dict.fromkeys((eui, eui.lower(), eui.upper())))


def with_property_keys(values: Values, keys: Sequence[str]) -> Values:
    """Decoders write `temperature` where the asset type says `Temperature`; a key that is the type's own stays."""
    spelled = {key.lower(): key for key in reversed(keys)} | {key: key for key in keys}
    named: Values = {}
    for key, value in values.items():
        wanted = spelled.get(key) or spelled.get(key.lower(), key)
        taken = wanted != key and (wanted in values or wanted in named)
        named[key if taken else wanted] = value
    return named


def _uplink(
    eui: tuple[str, str | None],
    decoded: tuple[str, Mapping[str, Any] | None],
    times: Sequence[tuple[str, str | None]],
) -> Uplink:
    """Each with the name of the field that it stands in."""
    _require_eui(eui)
    if not decoded[1]:
        raise Invalid(decoded[0], _NOT_DECODED)
    values: Values = {}
    ignored: list[str] = []
    for count, (key, value) in enumerate(_flattened(decoded[1])):
        if count >= _MAX_DECODED:
            raise Invalid(decoded[0], f"holds more than {_MAX_DECODED} values")
        if _is_reading({key: value}):
            values[key] = value
        else:
            ignored.append(key)
    if not values:
        raise Invalid(decoded[0], "holds no number and no boolean")
    if not _is_reading(values):
        raise Invalid(decoded[0], "holds more values than a reading may have")
    return replace(_heard(eui, values, times), ignored=ignored)


def _heard(eui: tuple[str, str | None], values: Values, times: Sequence[tuple[str, str | None]]) -> Uplink:
    given = next(((field, time) for field, time in times if time), None)
    return Uplink(_require_eui(eui), unix_seconds(*given) if given else None, values, [])


def _require_eui(eui: tuple[str, str | None]) -> str:
    if not eui[1]:
        raise Invalid(eui[0], "is required")
    return eui[1]


def _flattened(decoded: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in decoded.items():
        if isinstance(value, Mapping) and len(prefix) < _MAX_DEPTH:
            yield from _flattened(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _is_reading(values: Mapping[str, Any]) -> bool:
    """Whether a reading may hold these."""
    try:
        msgspec.convert(values, ReadingValues)
    except msgspec.ValidationError:
        return False
    return True


def unix_seconds(field: str, time: str) -> int:
    """Unix seconds; what is beyond the second is left off."""
    matched = _RFC_3339.fullmatch(time)
    if matched is None:
        raise Invalid(field, "must be a time of RFC 3339")
    day, clock, zone = matched.groups()
    try:
        return int(datetime.fromisoformat(f"{day}T{clock}{zone.upper()}").timestamp())
    except (ValueError, OverflowError):
        raise Invalid(field, "is a time that there isn't") from None
