"""The client by itself: a real broker whose log is looked into, a real database, and a scripted store."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import asyncpg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from tests.support.broker import Amqtt, Mosquitto, Publisher, ends_session, password_file, require_mosquitto
from tests.support.mqtt import BEGAN, Clients, message, publish, subscribed
from tests.support.proxy import FaultProxy
from tests.support.waiting import limit, wait_for_async

from steward.ingest.metrics import DropReason
from steward.ingest.mqtt import client
from steward.ingest.mqtt.broker import broker_at
from steward.ingest.mqtt.client import pause_after
from steward.ingest.mqtt.intake import DropLog


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    require_mosquitto()
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def publisher(broker: Mosquitto) -> Iterator[Publisher]:
    publisher = Publisher(broker.port)
    yield publisher
    publisher.close()


@pytest.fixture
async def clients(broker: Mosquitto, database_url: str) -> AsyncIterator[Clients]:
    clients = Clients(broker.url, database_url)
    yield clients
    await clients.close()


def dropped(reason: str) -> float:
    labels = {"source": "mqtt", "reason": reason}
    return REGISTRY.get_sample_value("steward_readings_dropped_total", labels) or 0.0


async def test_a_message_is_acknowledged_when_its_reading_is_committed_and_not_before(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    clients.store.open.clear()
    await publish(publisher, *(message(n) for n in range(100)))
    await wait_for_async("handing over", lambda: broker.sent() == 100)
    assert clients.store.stored == []
    assert broker.acknowledged() == 0
    clients.store.open.set()
    await wait_for_async("acknowledging", lambda: broker.acknowledged() == 100)
    assert clients.store.values == list(range(100))


async def test_readings_of_all_kinds_arrive_as_they_were_sent(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    payload = f'{{"values": {{"n": 1, "Temperature": 21.5, "Open": true}}, "timestamp": {BEGAN}}}'
    await publish(publisher, ("steward/org_1/ast_1/telemetry", payload))
    await wait_for_async("storing", lambda: clients.store.stored)
    [reading] = clients.store.stored
    assert (reading.tenant, reading.asset_id, reading.at) == ("org_1", "ast_1", BEGAN)
    assert reading.values == {"n": 1, "Temperature": 21.5, "Open": True}


async def test_without_a_database_no_message_is_acknowledged_or_lost(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    clients.store.database_is_away = True
    await publish(publisher, *(message(n) for n in range(300)))
    await wait_for_async("handing over", lambda: broker.sent() == 300)
    assert broker.acknowledged() == 0
    clients.store.database_is_away = False
    await wait_for_async("acknowledging", lambda: broker.acknowledged() == 300)
    assert sorted(set(clients.store.values)) == list(range(300))


async def test_a_full_queue_leaves_messages_with_the_broker(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start(receive_maximum=150)
    await wait_for_async("subscribing", subscribed(broker))
    clients.store.open.clear()
    await publish(publisher, *(message(n) for n in range(1000)))
    # It has taken all 1,000 by now, and would have sent what it may.
    assert (broker.sent(), broker.acknowledged()) == (150, 0)
    clients.store.open.set()
    await wait_for_async("acknowledging", lambda: broker.acknowledged() == 1000)
    assert sorted(set(clients.store.values)) == list(range(1000))


async def test_reading_pauses_while_the_queue_is_full(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start(max_bytes=20_000)
    await wait_for_async("subscribing", subscribed(broker))
    clients.store.open.clear()
    await publish(publisher, *(message(n) for n in range(3000)))
    clients.store.open.set()
    await wait_for_async("acknowledging", lambda: broker.acknowledged() == 3000)
    assert sorted(set(clients.store.values)) == list(range(3000))


async def test_unstorable_messages_are_counted_logged_and_acknowledged(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    before = {reason: dropped(reason) for reason in ("payload", "asset")}
    bad = "steward/org_1/ast_1/telemetry"
    with capture_logs() as logs:
        await publish(
            publisher,
            (bad, "no JSON"),
            (bad, '{"values": {"n": "text"}}'),
            (bad, '{"values": {"n": NaN}}'),
            (bad, '{"values": {}}'),
            (bad, '{"values": {"n": 1}, "timestamp": 99999999999}'),
            message(1, "ast_unknown"),
            message(2),
        )
        await wait_for_async("acknowledging", lambda: broker.acknowledged() == 7)
    assert clients.store.values == [2]
    assert dropped("payload") - before["payload"] == 5
    assert dropped("asset") - before["asset"] == 1
    told = [log["topic"] for log in logs if log["event"] == "a reading was dropped"]
    assert told.count(bad) in {1, 2}  # twice where the minute ended meanwhile
    assert len(told) - told.count(bad) == 1


def test_dropped_messages_are_logged_once_a_minute_per_topic() -> None:
    drops = DropLog()
    with capture_logs() as logs:
        for _ in range(3):
            drops.drop("a", DropReason.PAYLOAD, "bad", 60)
        drops.drop("a", DropReason.PAYLOAD, "bad", 120)
        assert len(logs) == 2
        for n in range(5000):
            drops.drop(f"made up {n}", DropReason.TOPIC, "bad", 180)
    assert len(logs) == 2 + 1000


async def test_a_reading_that_could_not_be_stored_stays_with_the_broker(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    clients.store.fails_on = "ast_2"
    await publish(publisher, message(1), message(2, "ast_2"), message(3))
    await wait_for_async("acknowledging the others", lambda: broker.acknowledged() == 2)
    assert clients.store.values == [1, 3]
    clients.store.fails_on = None
    broker.stop()
    broker.start()
    await wait_for_async("acknowledging", lambda: broker.acknowledged() == 3)
    assert clients.store.values == [1, 2, 3]


async def test_messages_without_acknowledgement_are_stored_too(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    await publish(publisher, message(7), qos=0)
    await wait_for_async("storing", lambda: clients.store.values == [7])
    assert broker.acknowledged() == 0


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\xff\xff\xff\xff\xff",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xe0\x02\x8b\x00",
        b"\x34\x06\x00\x01a\x00\x01\x00",
    ],
)
async def test_a_malformed_packet_of_the_broker_ends_the_connection_and_is_retried(
    clients: Clients, broker: Mosquitto, publisher: Publisher, said: bytes
) -> None:
    with FaultProxy(f"127.0.0.1:{broker.port}") as proxy:
        clients.start(f"mqtt://127.0.0.1:{proxy.port}")
        await wait_for_async("subscribing", subscribed(broker))
        proxy.say(said)
        await wait_for_async("coming back", subscribed(broker, times=2))
        await publish(publisher, message(1))
        await wait_for_async("acknowledging", lambda: clients.store.values == [1])


async def test_a_connection_attempt_without_answer_times_out_and_is_retried(
    clients: Clients, broker: Mosquitto
) -> None:
    broker.freeze()
    with capture_logs() as logs:
        clients.start(timeout=limit(1))
        await wait_for_async("a second attempt", lambda: str(logs).count("the broker doesn't answer") >= 2)
    broker.thaw()
    await wait_for_async("subscribing", subscribed(broker))


async def test_the_client_disconnects_from_a_silent_broker(clients: Clients, broker: Mosquitto) -> None:
    with capture_logs() as logs:
        clients.start(keep_alive=1)
        await wait_for_async("subscribing", subscribed(broker))
        broker.freeze()
        await wait_for_async("leaving", lambda: "the broker has fallen silent" in str(logs))
    broker.thaw()
    await wait_for_async("subscribing again", subscribed(broker, times=2))


async def test_an_idle_mqtt_connection_is_kept_alive_by_pings(clients: Clients, broker: Mosquitto) -> None:
    clients.start(keep_alive=3)
    await wait_for_async("subscribing", subscribed(broker))
    # Which takes longer than the broker waits for somebody who says nothing.
    await wait_for_async("asking a few times", lambda: broker.pings("steward-0") >= 4)
    assert broker.connections("steward-0") == 1


async def test_credentials_are_sent_but_never_shown(database_url: str, tmp_path: Path) -> None:
    require_mosquitto()
    broker = Mosquitto(
        tmp_path, "allow_anonymous false", f"password_file {password_file(tmp_path, 'steward', 's@crt')}"
    )
    broker.start()
    clients = Clients(broker.url, database_url)
    try:
        with capture_logs() as logs:
            end = clients.start(f"mqtt://steward:wr%40ng@127.0.0.1:{broker.port}")
            await wait_for_async("two attempts", lambda: str(logs).count("not authorized") >= 2)
            await end()
            clients.start(f"mqtt://steward:s%40crt@127.0.0.1:{broker.port}")
            await wait_for_async("subscribing", subscribed(broker))
        assert broker.connections("steward-0") == 1
        for secret in ("s@crt", "s%40crt", "wr@ng", "wr%40ng"):
            assert secret not in str(logs)
    finally:
        await clients.close()
        broker.stop()


REFUSALS = {
    b"\x20\x02\x00\x01": "it doesn't speak MQTT 5",
    b"\x20\x03\x00\x86\x00": "user name or password are wrong",
    b"\x20\x03\x00\x89\x00": "it is busy",
    b"\x20\x03\x00\x9f\x00": "reason 0x9f",
    b"\x20\x05\x00\x00\x02\x2a\x00": "the broker has no shared subscriptions",
}


@pytest.mark.parametrize("said", REFUSALS)
async def test_the_reason_of_a_broker_refusal_is_logged(database_url: str, said: bytes) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1000)
        writer.write(said)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(refuse, "127.0.0.1", 0)
    clients = Clients(f"mqtt://127.0.0.1:{server.sockets[0].getsockname()[1]}", database_url)
    try:
        with capture_logs() as logs:
            clients.start()
            await wait_for_async("two attempts", lambda: str(logs).count(REFUSALS[said]) >= 2)
    finally:
        await clients.close()
        server.close()


async def test_the_client_retries_slowly_while_the_broker_speaks_only_mqtt_3(
    database_url: str, tmp_path: Path
) -> None:
    """amqtt, which comes to nothing over what stands in our greeting and is in none of its versions."""
    require_mosquitto()
    old = Amqtt(tmp_path)
    broker = Mosquitto(tmp_path, port=old.port)
    clients = Clients(old.url, database_url)
    old.start()
    try:
        with capture_logs() as logs:
            clients.start(timeout=limit(1))
            await wait_for_async("two attempts", lambda: str(logs).count("no readings over MQTT") >= 2)
        assert connected(broker) == 0
        old.stop()
        broker.start()
        await wait_for_async("subscribing", subscribed(broker))
    finally:
        await clients.close()
        old.stop()
        broker.stop()


def connected(broker: Mosquitto) -> float | None:
    return REGISTRY.get_sample_value("steward_mqtt_connected", {"broker": f"127.0.0.1:{broker.port}"})


async def test_a_metric_shows_whether_a_worker_is_subscribed(clients: Clients, broker: Mosquitto) -> None:
    clients.start()
    await wait_for_async("telling so", lambda: connected(broker) == 1)
    broker.kill()
    await wait_for_async("telling that it isn't", lambda: connected(broker) == 0)
    broker.start()
    await wait_for_async("telling so again", lambda: connected(broker) == 1)


async def test_workers_keep_their_own_sessions_across_restarts(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    end = clients.start()
    await wait_for_async("subscribing", subscribed(broker, 0))
    clients.start()
    await wait_for_async("subscribing", subscribed(broker, 1))
    await end()
    await wait_for_async("leaving", lambda: broker.goodbyes("steward-0") == 1)
    await publish(publisher, *(message(n) for n in range(10)))
    # The broker gives each session its share, whether its worker is there or not.
    await wait_for_async("taking of the others", lambda: broker.acknowledged("steward-1") == 5)
    assert broker.acknowledged("steward-0") == 0
    clients.start()
    await wait_for_async("taking what has waited", lambda: broker.acknowledged("steward-0") == 5)
    assert clients.store.values == list(range(10))
    assert broker.connections("steward-2") == 0


async def test_messages_of_a_lost_worker_are_taken_by_another(
    clients: Clients, broker: Mosquitto, publisher: Publisher
) -> None:
    clients.start()
    await wait_for_async("subscribing", subscribed(broker, 0))
    end = clients.start(abandoned_after=0)
    await wait_for_async("subscribing", subscribed(broker, 1))
    await end()
    await publish(publisher, *(message(n) for n in range(10)))
    await wait_for_async("taking and ending it", lambda: broker.goodbyes("steward-1") == 2)
    await wait_for_async("storing", lambda: clients.store.values == list(range(10)))
    assert not ends_session(broker.port, "steward-1")
    assert broker.connections("steward-0") == 1


async def test_a_worker_leaves_a_session_that_another_may_hold_and_reconnects(
    clients: Clients, broker: Mosquitto, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_RENEW_SECONDS", 0.2)
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    connection = await asyncpg.connect(database_url)
    held = """SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database
              WHERE locktype = 'advisory' AND classid = $1 AND datname = current_database()"""
    assert await connection.fetch(held, 0x6D717474)
    await connection.close()
    await wait_for_async("coming back", subscribed(broker, times=2))
    assert broker.goodbyes("steward-0") == 1


def self_signed(directory: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "broker")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file, key_file = directory / "broker.pem", directory / "broker.key"
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return file, key_file


async def test_an_encrypted_connection_needs_a_certificate_that_is_trusted(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_mosquitto()
    file, key_file = self_signed(tmp_path)
    broker = Mosquitto(tmp_path, "allow_anonymous true", f"certfile {file}", f"keyfile {key_file}")
    broker.start()
    clients = Clients(f"mqtts://127.0.0.1:{broker.port}", database_url)
    try:
        with capture_logs() as logs:
            end = clients.start()
            await wait_for_async("refusing", lambda: "certificate" in str(logs).lower())
        await end()
        assert broker.connections("steward-0") == 0
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        clients.start()
        await wait_for_async("subscribing", subscribed(broker))
    finally:
        await clients.close()
        broker.stop()


def test_pauses_grow_to_a_limit_and_differ() -> None:
    pauses = [pause_after(failures, 30) for failures in range(1, 40)]
    assert 0.5 <= pauses[0] <= 1
    assert all(15 <= pause <= 30 for pause in pauses[6:])
    assert len(set(pauses)) > 30


@pytest.mark.parametrize(
    ("url", "host", "port", "tls"),
    [
        ("mqtt://broker.example.com", "broker.example.com", 1883, False),
        ("mqtts://broker.example.com", "broker.example.com", 8883, True),
        ("mqtts://u:p@[::1]:9000", "::1", 9000, True),
    ],
)
def test_a_url_says_where_the_broker_is(url: str, host: str, port: int, tls: bool) -> None:
    broker = broker_at(url)
    assert (broker.host, broker.port, broker.tls) == (host, port, tls)
    assert ":p" not in str(broker)
