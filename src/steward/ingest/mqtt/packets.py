"""MQTT 5 as bytes: the packets that we send, and those that we are sent. No I/O.

Only what taking readings and sending commands needs: quality of service 0 and 1, no wills, no topic aliases, no enhanced authentication.
"""

import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from steward.ingest.mqtt import properties as names
from steward.ingest.mqtt.broker import BrokerAddress, ConnectionOptions
from steward.ingest.mqtt.properties import MalformedError, read_length, read_properties

CONNECT, CONNACK, PUBLISH, PUBACK = 1, 2, 3, 4
SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK = 8, 9, 10, 11
PINGREQ, PINGRESP, DISCONNECT = 12, 13, 14

# A reason that we have to write ourselves.
UNSUPPORTED_VERSION = 0x84
# The broker accepted a message that has no subscribers.
NO_MATCHING_SUBSCRIBERS = 0x10

_SENT_BY_BROKERS = frozenset({CONNACK, PUBLISH, PUBACK, SUBACK, UNSUBACK, PINGRESP, DISCONNECT})


class Publish(msgspec.Struct, frozen=True, gc=False):
    """`packet_id` is 0 where nothing is to be acknowledged."""

    topic: str
    payload: bytes
    packet_id: int


class ControlPacket(NamedTuple):
    """Everything else that a broker sends: `reasons` says how it went, one for each thing that was asked."""

    kind: int
    packet_id: int = 0
    reasons: tuple[int, ...] = (0,)
    properties: Mapping[int, Any] = {}
    session_present: bool = False


Packet = Publish | ControlPacket

_U16 = struct.Struct(">H").unpack_from
_U32 = struct.Struct(">I").unpack_from
_PUBACK = struct.Struct(">BBH").pack


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(raw)) + raw


def packet(kind: int, body: bytes, flags: int = 0) -> bytes:
    return bytes((kind << 4 | flags,)) + varint(len(body)) + body


def connect(client_id: str, broker: BrokerAddress, options: ConnectionOptions) -> bytes:
    """Asks to go on with the session of this client id, where the broker still has one."""
    flags = (0x80 if broker.username is not None else 0) | (0x40 if broker.password is not None else 0)
    properties = (
        struct.pack(">BI", names.SESSION_EXPIRY, options.session_expiry)
        + struct.pack(">BH", names.RECEIVE_MAXIMUM, options.receive_maximum)
        + struct.pack(">BI", names.MAXIMUM_PACKET_SIZE, options.max_packet_bytes)
    )
    credentials = b"".join(text(part) for part in (broker.username, broker.password) if part is not None)
    head = text("MQTT") + struct.pack(">BBH", 5, flags, options.keep_alive)
    return packet(CONNECT, head + varint(len(properties)) + properties + text(client_id) + credentials)


def subscribe(packet_id: int, *topic_filters: str) -> bytes:
    """At most once or at least once, as the publisher chose; never exactly once."""
    filters = b"".join(text(one) + b"\x01" for one in topic_filters)
    return packet(SUBSCRIBE, struct.pack(">HB", packet_id, 0) + filters, 0b0010)


def unsubscribe(packet_id: int, *topic_filters: str) -> bytes:
    filters = b"".join(map(text, topic_filters))
    return packet(UNSUBSCRIBE, struct.pack(">HB", packet_id, 0) + filters, 0b0010)


def publish(packet_id: int, topic: str, payload: bytes, *, expiry: int) -> bytes:
    """At least once; the broker forgets it after so many seconds."""
    properties = struct.pack(">BI", names.MESSAGE_EXPIRY, expiry)
    head = text(topic) + struct.pack(">HB", packet_id, len(properties)) + properties
    return packet(PUBLISH, head + payload, 0b0010)


def puback(packet_id: int) -> bytes:
    return _PUBACK(PUBACK << 4, 2, packet_id)


def pingreq() -> bytes:
    return packet(PINGREQ, b"")


def disconnect(*, session_expiry: int | None = None) -> bytes:
    """Ends the connection; the session too, where `session_expiry` is 0."""
    if session_expiry is None:
        return packet(DISCONNECT, b"")
    return packet(DISCONNECT, struct.pack(">BBBI", 0, 5, names.SESSION_EXPIRY, session_expiry))


def unpack(buffer: bytes | bytearray, longest: int) -> tuple[list[Packet], int]:
    """All whole packets at the beginning of `buffer`, and how many bytes they took."""
    found: list[Packet] = []
    start, size = 0, len(buffer)
    while start + 2 <= size:
        first, length, body = buffer[start], buffer[start + 1], start + 2
        # Half of the byte is left to flags, of which an acknowledgement has none.
        if first >> 4 not in _SENT_BY_BROKERS or (first >> 4 == PUBACK and first & 0x0F):
            # At once: who waits for the rest of what is no packet may wait for ever.
            raise MalformedError(f"a packet of kind {first >> 4}")
        if length > 0x7F:
            long = read_length(buffer, start + 1)
            if long is None:
                break
            length, body = long
        end = body + length
        if end - start > longest:
            raise MalformedError(f"a packet of {length} bytes")
        if end > size:
            break
        try:
            found.append(
                _publish(buffer, first, body, end)
                if first >> 4 == PUBLISH
                else _control_packet(first, bytes(buffer[body:end]))
            )
        except (IndexError, struct.error, UnicodeDecodeError) as error:
            raise MalformedError(
                f"a packet of kind {first >> 4} that ends too early or is no text"
            ) from error
        start = end
    return found, start


def _publish(buffer: bytes | bytearray, first: int, at: int, end: int) -> Publish:
    quality = first >> 1 & 3
    if quality > 1:
        raise MalformedError("a message of a quality of service that was not asked for")
    topic_end = at + 2 + _U16(buffer, at)[0]
    topic = buffer[at + 2 : topic_end].decode()
    at, packet_id = topic_end, 0
    if quality:
        packet_id = _U16(buffer, at)[0]
        at += 2
        if packet_id == 0:
            raise MalformedError("a message with the number 0")
    skipped = buffer[at]
    at += 1
    if skipped:
        # Properties such as a content type mean nothing here.
        long = read_length(buffer, at - 1)
        if long is None:
            raise MalformedError("properties without an end")
        at = long[1] + long[0]
    if at > end:
        raise MalformedError("a message that is longer than its packet")
    return Publish(topic, bytes(buffer[at:end]), packet_id)


def _control_packet(first: int, body: bytes) -> ControlPacket:
    kind = first >> 4
    if kind == CONNACK:
        if body[1:] == b"\x01":
            # How a broker that knows MQTT 3 only says so.
            return ControlPacket(kind, 0, (UNSUPPORTED_VERSION,))
        return ControlPacket(kind, 0, (body[1],), read_properties(body, 2)[0], bool(body[0] & 1))
    if kind in {SUBACK, UNSUBACK}:
        properties, at = read_properties(body, 2)
        return ControlPacket(kind, _U16(body, 0)[0], tuple(body[at:]), properties)
    if kind == PUBACK:
        return ControlPacket(kind, _U16(body, 0)[0], (body[2] if len(body) > 2 else 0,))
    if kind == PINGRESP:
        return ControlPacket(kind)
    return ControlPacket(
        kind, 0, (body[0] if body else 0,), read_properties(body, 1)[0] if len(body) > 1 else {}
    )
