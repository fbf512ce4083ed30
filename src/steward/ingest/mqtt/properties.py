"""The properties of MQTT 5 packets, and the lengths in front of them."""

import struct
from collections.abc import Callable, Mapping
from typing import Any

# Names of properties; the kinds of all that a broker may send stand in `_KINDS`.
MESSAGE_EXPIRY, SESSION_EXPIRY, SERVER_KEEP_ALIVE, REASON_STRING = 0x02, 0x11, 0x13, 0x1F
RECEIVE_MAXIMUM, MAXIMUM_PACKET_SIZE, SHARED_SUBSCRIPTIONS = 0x21, 0x27, 0x2A

_U16 = struct.Struct(">H").unpack_from


class MalformedError(Exception):
    """What came is not MQTT 5, or not what a broker may send to us."""


def read_length(buffer: bytes | bytearray, at: int) -> tuple[int, int] | None:
    """The number and where it ends; None where some of it has yet to come."""
    value = 0
    for place in range(4):
        if at + place >= len(buffer):
            return None
        byte = buffer[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise MalformedError("a length of more than four bytes")


def _number(size: int) -> Callable[[bytes, int], tuple[int, int]]:
    return lambda raw, at: (int.from_bytes(raw[at : at + size], "big"), at + size)


def _string(raw: bytes, at: int) -> tuple[str, int]:
    end = at + 2 + _U16(raw, at)[0]
    return raw[at + 2 : end].decode(), end


def _blob(raw: bytes, at: int) -> tuple[bytes, int]:
    end = at + 2 + _U16(raw, at)[0]
    return raw[at + 2 : end], end


def _pair(raw: bytes, at: int) -> tuple[tuple[str, str], int]:
    name, at = _string(raw, at)
    value, at = _string(raw, at)
    return (name, value), at


_KINDS: Mapping[int, Callable[[bytes, int], tuple[Any, int]]] = {
    **dict.fromkeys((0x24, 0x25, 0x28, 0x29, SHARED_SUBSCRIPTIONS), _number(1)),
    **dict.fromkeys((SERVER_KEEP_ALIVE, RECEIVE_MAXIMUM, 0x22), _number(2)),
    **dict.fromkeys((SESSION_EXPIRY, MAXIMUM_PACKET_SIZE), _number(4)),
    **dict.fromkeys((0x12, 0x15, 0x1A, 0x1C, REASON_STRING), _string),
    0x16: _blob,
    0x26: _pair,
}


def read_properties(raw: bytes, at: int) -> tuple[dict[int, Any], int]:
    long = read_length(raw, at)
    if long is None:
        raise MalformedError("properties without an end")
    length, at = long
    end = at + length
    found: dict[int, Any] = {}
    while at < end:
        read = _KINDS.get(raw[at])
        if read is None:
            raise MalformedError(f"a property {raw[at]}  that is unknown")
        found[raw[at]], at = read(raw, at + 1)
    if at != end or end > len(raw):
        raise MalformedError("properties that end too early")
    return found, end
