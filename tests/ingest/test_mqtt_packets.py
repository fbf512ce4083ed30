import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.ingest.mqtt import packets, properties
from steward.ingest.mqtt.broker import ConnectionOptions, broker_at
from steward.ingest.mqtt.packets import ControlPacket, Packet, Publish, unpack
from steward.ingest.mqtt.properties import MalformedError
from steward.ingest.mqtt.topics import command_topics, source_of
from steward.kit.security.caller import TenantId

MAX_LENGTHS = 300_000
TOPICS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def published(topic: str, payload: bytes, packet_id: int, properties: bytes) -> bytes:
    """As a broker writes it."""
    number = packet_id.to_bytes(2, "big") if packet_id else b""
    body = packets.text(topic) + number + packets.varint(len(properties)) + properties + payload
    return packets.packet(packets.PUBLISH, body, 0b0010 if packet_id else 0)


@given(
    st.lists(
        st.tuples(
            TOPICS,
            st.binary(max_size=300),
            st.integers(0, 65_535),
            st.sampled_from([b"", b"\x01\x01", b"\x26" + b"\x00\x01a" * 2 * 1]),
        ),
        max_size=8,
    ),
    st.data(),
)
def test_messages_are_read_the_same_however_the_network_cuts_them(
    messages: list[tuple[str, bytes, int, bytes]], data: st.DataObject
) -> None:
    stream = b"".join(published(*message) for message in messages)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    found: list[Packet] = []
    rest = b""
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        rest += stream[start:end]
        whole, used = unpack(rest, MAX_LENGTHS)
        found += whole
        rest = rest[used:]
    assert rest == b""
    assert found == [Publish(topic, payload, packet_id) for topic, payload, packet_id, _ in messages]


@given(st.binary(max_size=200))
def test_any_input_is_read_or_refused(noise: bytes) -> None:
    try:
        found, used = unpack(noise, MAX_LENGTHS)
    except MalformedError:
        return
    assert 0 <= used <= len(noise)
    assert bool(found) == (used > 0)


@given(st.binary(min_size=2, max_size=60), st.sampled_from([0x20, 0x30, 0x32, 0x90, 0xB0, 0xD0, 0xE0]))
def test_a_whole_packet_with_any_content_is_read_or_refused(body: bytes, first: int) -> None:
    try:
        found, used = unpack(bytes((first, len(body))) + body, MAX_LENGTHS)
    except MalformedError:
        return
    assert (len(found), used) == (1, len(body) + 2)


ANSWERS = {
    "accepted, with a session that was kept": (
        b"\x20\x03\x01\x00\x00",
        ControlPacket(packets.CONNACK, 0, (0,), {}, session_present=True),
    ),
    "accepted, with the broker's own keep alive and a remark": (
        b"\x20\x0b\x00\x00\x08\x13\x00\x3c\x1f\x00\x02hi",
        ControlPacket(
            packets.CONNACK, 0, (0,), {properties.SERVER_KEEP_ALIVE: 60, properties.REASON_STRING: "hi"}
        ),
    ),
    "refused by a broker that knows MQTT 3 only": (
        b"\x20\x02\x00\x01",
        ControlPacket(packets.CONNACK, 0, (0x84,), {}),
    ),
    "refused": (b"\x20\x03\x00\x87\x00", ControlPacket(packets.CONNACK, 0, (0x87,), {})),
    "subscribed": (b"\x90\x04\x00\x07\x00\x01", ControlPacket(packets.SUBACK, 7, (1,), {})),
    "unsubscribed": (b"\xb0\x04\x00\x07\x00\x11", ControlPacket(packets.UNSUBACK, 7, (0x11,), {})),
    "alive": (b"\xd0\x00", ControlPacket(packets.PINGRESP)),
    "goodbye without a word": (b"\xe0\x00", ControlPacket(packets.DISCONNECT, 0, (0,), {})),
    "goodbye because of a takeover": (b"\xe0\x02\x8e\x00", ControlPacket(packets.DISCONNECT, 0, (0x8E,), {})),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_are_read(name: str) -> None:
    raw, meant = ANSWERS[name]
    assert unpack(raw, MAX_LENGTHS) == ([meant], len(raw))


REFUSED = {
    "a length without an end": b"\x30\xff\xff\xff\xff\x01",
    "a packet that is too long": b"\x30\xff\xff\xff\x7f",
    "a message of quality of service 2": b"\x34\x06\x00\x01a\x00\x01\x00",
    "a message with the number 0": b"\x32\x06\x00\x01a\x00\x00\x00",
    "a topic that is no text": b"\x30\x04\x00\x01\xff\x00",
    "a topic that is longer than its packet": b"\x30\x04\x00\x09a\x00",
    "what only clients send": b"\x10\x02\x00\x00",
    "another protocol": b"HTTP/1.1 400 Bad Request",
    "a property that nobody knows": b"\x20\x05\x00\x00\x02\x7f\x00",
    "a welcome of MQTT 3": b"\x20\x02\x00\x00",
}


@pytest.mark.parametrize("name", REFUSED)
def test_packets_that_are_not_mqtt_5_are_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        unpack(REFUSED[name] + b"\0" * 20, MAX_LENGTHS)


def test_a_client_introduces_itself_as_the_standard_wants() -> None:
    options = ConnectionOptions(keep_alive=30, receive_maximum=100, max_packet_bytes=1000)
    hello = packets.connect("c", broker_at("mqtt://u:p@host"), options)
    properties = b"\x11\x00\x00\x0e\x10\x21\x00\x64\x27\x00\x00\x03\xe8"
    body = b"\x00\x04MQTT\x05\xc0\x00\x1e" + b"\x0d" + properties + b"\x00\x01c\x00\x01u\x00\x01p"
    assert hello == b"\x10" + bytes((len(body),)) + body


def test_requests_are_written_as_the_standard_wants() -> None:
    assert packets.subscribe(1, "a/b") == b"\x82\x09\x00\x01\x00\x00\x03a/b\x01"
    assert packets.unsubscribe(2, "a") == b"\xa2\x06\x00\x02\x00\x00\x01a"
    assert packets.puback(0x1234) == b"\x40\x02\x12\x34"
    assert packets.pingreq() == b"\xc0\x00"
    assert packets.disconnect() == b"\xe0\x00"
    assert packets.disconnect(session_expiry=0) == b"\xe0\x07\x00\x05\x11\x00\x00\x00\x00"


@pytest.mark.parametrize(
    "topic",
    [
        "",
        "steward/org_1/telemetry",
        "other/org_1/ast_1/telemetry",
        "steward/org_1/ast_1/state",
        "steward//ast_1/telemetry",
        "steward/org_1//telemetry",
        "steward/org_1/ast_1/telemetry/",
        "steward/" + "o" * 41 + "/ast_1/telemetry",
        "steward/org_1/a\0/telemetry",
    ],
)
def test_other_topics_belong_to_no_asset(topic: str) -> None:
    assert source_of(topic) is None


def test_a_topic_names_organization_and_asset() -> None:
    source = source_of("steward/org_1/ast_1/telemetry")
    assert source is not None
    assert (source.tenant, source.name) == ("org_1", "ast_1")


def test_a_message_of_ours_is_one_that_a_broker_could_send() -> None:
    packed = packets.publish(7, "steward/org_1/ast_1/commands", b'{"id":"cmd_1"}', expiry=60)
    assert packets.unpack(packed, 1000) == (
        [packets.Publish("steward/org_1/ast_1/commands", b'{"id":"cmd_1"}', 7)],
        len(packed),
    )


def test_an_acknowledgement_can_have_a_note() -> None:
    said, used = packets.unpack(packets.puback(7) + b"\x40\x04\x00\x08\x10\x00", 1000)
    assert used == 10
    assert said == [
        packets.ControlPacket(packets.PUBACK, 7),
        packets.ControlPacket(packets.PUBACK, 8, (packets.NO_MATCHING_SUBSCRIBERS,)),
    ]


def test_commands_are_published_to_both_topics_of_a_device() -> None:
    tenant = TenantId("org_1")
    assert command_topics(tenant, "ast_1", "BMS 1") == [
        "steward/org_1/ast_1/commands",
        "steward/org_1/BMS 1/commands",
    ]
    for unfit in (None, "a/b", "a+", "#", "ast_2"):
        assert command_topics(tenant, "ast_1", unfit) == ["steward/org_1/ast_1/commands"]
