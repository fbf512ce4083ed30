"""From what network servers send to values by key. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from steward.ingest.lorawan.model import ChirpStackEvent, TtnMessage, Uplink, Values
from steward.ingest.model import Values as ReadingValues
from steward.kit.domain.problems import Invalid

_RFC_3339 = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)")
# Far more than a device can send; what isn't a number is ignored, but looked at.
_MAX_DECODED = 1000
# No key of a reading is as long as the way to something this deep.
_MAX_DEPTH = 100
_NOT_DECODED = "holds nothing: the network server has to decode the payload; give the device's profile or application a decoder"


def chirpstack_uplink(event: ChirpStackEvent) -> Uplink:
    eui = event.device_info.dev_eui if event.device_info else None
    return _uplink(("deviceInfo.devEui", eui), ("object", event.object), [("time", event.time)])


def ttn_uplink(message: TtnMessage) -> Uplink | None:
    """None where the message is none of an uplink."""
    uplink = message.uplink_message
    if uplink is None:
        return None
    eui = message.end_device_ids.dev_eui if message.end_device_ids else None
    # The network server's clock is better than the gateway's, and closer to the device than the application server's.
    times = [
        ("uplink_message.received_at", uplink.received_at),
        ("received_at", message.received_at),
        ("uplink_message.settings.time", uplink.settings.time if uplink.settings else None),
    ]
    payload = ("uplink_message.decoded_payload", uplink.decoded_payload)
    return _uplink(("end_device_ids.dev_eui", eui), payload, times)


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
    if not eui[1]:
        raise Invalid(eui[0], "is required")
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
    given = next(((field, time) for field, time in times if time), None)
    return Uplink(eui[1], unix_seconds(*given) if given else None, values, ignored)


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
