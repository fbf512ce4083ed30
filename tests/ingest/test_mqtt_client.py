"""The client by itself: a broker that can be looked into, a real database, and a store that does as it is told."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from prometheus_client import REGISTRY
from structlog.testing import capture_logs
from tests.support.broker import Publisher, SmallBroker

from steward.ingest import mqtt_slots
from steward.ingest.batch_writer import BatchWriter, Outcome
from steward.ingest.model import Reading
from steward.ingest.mqtt import pause_after, run_mqtt
from steward.ingest.mqtt_intake import Drops
from steward.ingest.mqtt_link import Terms, broker_at
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Pool, Transaction
from steward.kit.domain.problems import InternalError, NotFound

WINDOW = TimeWindow(400 * 86_400)


class Store:
    """Stores readings when it is let to."""

    def __init__(self) -> None:
        self.stored: list[Reading] = []
        self.open = asyncio.Event()
        self.open.set()
        self.database_is_away = False
        self.fails_on: str | None = None

    async def __call__(self, _tx: Transaction, readings: Sequence[Reading]) -> list[Outcome]:
        await self.open.wait()
        if self.database_is_away:
            raise OSError("nobody there")
        outcomes = [self._judged(reading) for reading in readings]
        self.stored += [r for r, outcome in zip(readings, outcomes, strict=True) if outcome is None]
        return outcomes

    def _judged(self, reading: Reading) -> Outcome:
        if reading.asset_id == "ast_unknown":
            return NotFound("There is no such asset.")
        return InternalError("A fault of ours.") if reading.asset_id == self.fails_on else None

    @property
    def values(self) -> list[Any]:
        return sorted(reading.values["n"] for reading in self.stored)


@pytest.fixture
def broker() -> Iterator[SmallBroker]:
    broker = SmallBroker()
    yield broker
    broker.stop()


@pytest.fixture
def publisher(broker: SmallBroker) -> Iterator[Publisher]:
    publisher = Publisher(broker.port)
    yield publisher
    publisher.close()


class House:
    """Clients over one database, and the store behind them."""

    def __init__(self, broker: SmallBroker, database_url: str) -> None:
        self.broker = broker
        self.database_url = database_url
        self.store = Store()
        self._running: list[tuple[asyncio.Task[None], asyncio.Event]] = []
        self._pool = Pool(database_url, 2)
        self.writer = BatchWriter(self._pool, self.store, max_waiting=200)

    def start(self, url: str | None = None, **terms: Any) -> Callable[[], Awaitable[None]]:
        """A client; what is given back stops it."""
        stop = asyncio.Event()
        terms = {"patience": 2, "longest_pause": 0.2, **terms}
        task = asyncio.create_task(
            run_mqtt(
                url or self.broker.url, self.database_url, self.writer, WINDOW, stop, terms=Terms(**terms)
            )
        )
        self._running.append((task, stop))

        async def end() -> None:
            stop.set()
            await task

        return end

    async def close(self) -> None:
        self.store.open.set()
        self.store.database_is_away = False
        for task, stop in self._running:
            stop.set()
            await task
        await self.writer.stop()
        await self._pool.close()


@pytest.fixture
async def house(broker: SmallBroker, database_url: str) -> AsyncIterator[House]:
    house = House(broker, database_url)
    yield house
    await house.close()


async def eventually(what: str, condition: Callable[[], Any], seconds: float = 20) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 (what is waited for lives in another thread)
                await asyncio.sleep(0.02)
            return
    raise AssertionError(f"{what} did not happen within {seconds} s")


def subscribed(broker: SmallBroker, slot: int = 0) -> Callable[[], bool]:
    name = mqtt_slots.client_id(slot)

    def check() -> bool:
        session = broker.sessions.get(name)
        return session is not None and session.connection is not None and bool(session.filters)

    return check


def message(n: int, asset_id: str = "ast_1") -> tuple[str, str]:
    payload = json.dumps({"values": {"n": n}, "timestamp": 1_790_000_000 + n})
    return f"steward/org_1/{asset_id}/telemetry", payload


async def publish(publisher: Publisher, *messages: tuple[str, str], qos: int = 1) -> None:
    await asyncio.to_thread(publisher.publish, messages, qos)


def dropped(reason: str) -> float:
    labels = {"source": "mqtt", "reason": reason}
    return REGISTRY.get_sample_value("steward_readings_dropped_total", labels) or 0.0


async def test_a_message_is_acknowledged_when_its_reading_is_committed_and_not_before(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    house.store.open.clear()
    await publish(publisher, *(message(n) for n in range(100)))
    session = broker.session("steward-0")
    await eventually("handing over", lambda: len(session.unacknowledged) == 100)
    assert house.store.stored == []
    house.store.open.set()
    await eventually("acknowledging", lambda: broker.held == 0)
    assert house.store.values == list(range(100))


async def test_readings_of_all_kinds_arrive_as_they_were_sent(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    payload = '{"values": {"n": 1, "Temperature": 21.5, "Open": true}, "timestamp": 1790000000}'
    await publish(publisher, ("steward/org_1/ast_1/telemetry", payload))
    await eventually("storing", lambda: house.store.stored)
    [reading] = house.store.stored
    assert (reading.tenant, reading.asset_id, reading.at) == ("org_1", "ast_1", 1_790_000_000)
    assert reading.values == {"n": 1, "Temperature": 21.5, "Open": True}


async def test_while_the_database_is_away_nothing_is_acknowledged_and_nothing_is_lost(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    house.store.database_is_away = True
    await publish(publisher, *(message(n) for n in range(300)))
    await eventually("handing over", lambda: broker.session("steward-0").unacknowledged)
    assert broker.held == 300
    house.store.database_is_away = False
    await eventually("acknowledging", lambda: broker.held == 0)
    assert sorted(set(house.store.values)) == list(range(300))


async def test_a_full_queue_leaves_messages_with_the_broker(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start(receive_maximum=150)
    await eventually("subscribing", subscribed(broker))
    house.store.open.clear()
    await publish(publisher, *(message(n) for n in range(1000)))
    session = broker.session("steward-0")
    await eventually("filling", lambda: len(session.unacknowledged) == 150)
    assert len(session.queue) == 850
    house.store.open.set()
    await eventually("acknowledging", lambda: broker.held == 0)
    assert sorted(set(house.store.values)) == list(range(1000))


async def test_reading_stops_when_too_much_waits_and_goes_on_later(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start(most_bytes=20_000)
    await eventually("subscribing", subscribed(broker))
    house.store.open.clear()
    await publish(publisher, *(message(n) for n in range(3000)))
    house.store.open.set()
    await eventually("acknowledging", lambda: broker.held == 0)
    assert sorted(set(house.store.values)) == list(range(3000))


async def test_what_can_never_be_stored_is_counted_told_once_and_acknowledged(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
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
        await eventually("acknowledging", lambda: broker.held == 0 and house.store.stored)
    assert house.store.values == [2]
    assert dropped("payload") - before["payload"] == 5
    assert dropped("asset") - before["asset"] == 1
    told = [log["topic"] for log in logs if log["event"] == "a reading was dropped"]
    assert told.count(bad) in {1, 2}  # twice where the minute ended meanwhile
    assert len(told) - told.count(bad) == 1


def test_drops_are_told_once_a_minute_per_topic_and_never_fill_the_memory() -> None:
    drops = Drops()
    with capture_logs() as logs:
        for _ in range(3):
            drops.drop("a", "payload", "bad", 60)
        drops.drop("a", "payload", "bad", 120)
        assert len(logs) == 2
        for n in range(5000):
            drops.drop(f"made up {n}", "topic", "bad", 180)
    assert len(logs) == 2 + 1000


async def test_a_reading_that_we_fail_to_store_stays_with_the_broker(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    house.store.fails_on = "ast_2"
    await publish(publisher, message(1), message(2, "ast_2"), message(3))
    await eventually("acknowledging the others", lambda: broker.held == 1 and len(house.store.stored) == 2)
    house.store.fails_on = None
    broker.kill()
    broker.start()
    await eventually("acknowledging", lambda: broker.held == 0)
    assert house.store.values == [1, 2, 3]


async def test_messages_that_want_no_acknowledgement_are_taken_too(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    topic, payload = message(7)
    body = len(topic).to_bytes(2, "big") + topic.encode() + b"\0" + payload.encode()
    broker.say(bytes((0x30, len(body))) + body)
    await eventually("storing", lambda: house.store.values == [7])


@pytest.mark.parametrize(
    "said",
    [
        b"\x00\xff\xff\xff\xff\xff",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xe0\x02\x8b\x00",
        b"\x34\x06\x00\x01a\x00\x01\x00",
    ],
)
async def test_a_broker_that_talks_nonsense_is_left_and_tried_again(
    house: House, broker: SmallBroker, publisher: Publisher, said: bytes
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    first = broker.session("steward-0").connection
    broker.say(said)
    await eventually(
        "coming back", lambda: subscribed(broker)() and broker.session("steward-0").connection is not first
    )
    await publish(Publisher(broker.port), message(1))
    await eventually("acknowledging", lambda: house.store.values == [1])


async def test_a_broker_that_never_answers_is_given_up_and_tried_again(
    house: House, broker: SmallBroker
) -> None:
    broker.answers_connect = False
    house.start(patience=0.2)
    await eventually("a second attempt", lambda: len(broker.greetings) >= 2)
    broker.answers_connect = True
    await eventually("subscribing", subscribed(broker))


async def test_a_broker_that_falls_silent_is_left(house: House, broker: SmallBroker) -> None:
    broker.answers_pings = False
    house.start(keep_alive=1)
    await eventually("a second connection", lambda: len(broker.greetings) >= 2)
    broker.answers_pings = True
    await eventually("subscribing", subscribed(broker))


async def test_a_connection_that_says_nothing_for_long_is_kept_alive(
    house: House, broker: SmallBroker
) -> None:
    house.start(keep_alive=1)
    await eventually("subscribing", subscribed(broker))
    await eventually("asking a few times", lambda: broker.pings >= 4)
    assert len(broker.greetings) == 1


async def test_credentials_are_sent_and_never_told(house: House, broker: SmallBroker) -> None:
    broker.refuses_with = 0x86
    with capture_logs() as logs:
        house.start(f"mqtt://steward:s%40crt@127.0.0.1:{broker.port}")
        await eventually("two attempts", lambda: len(broker.greetings) >= 2 and len(logs) >= 1)
    assert broker.greetings[0][1:] == ("steward", "s@crt")
    assert "user name or password are wrong" in str(logs)
    assert "s@crt" not in str(logs)
    assert "s%40crt" not in str(logs)


def connected() -> float | None:
    return REGISTRY.get_sample_value("steward_mqtt_connected")


async def test_a_metric_tells_whether_a_worker_is_subscribed(house: House, broker: SmallBroker) -> None:
    house.start()
    await eventually("telling so", lambda: connected() == 1)
    broker.kill()
    await eventually("telling that it isn't", lambda: connected() == 0)
    broker.start()
    await eventually("telling so again", lambda: connected() == 1)


async def test_workers_never_share_a_session_and_one_that_starts_again_goes_on_with_its_own(
    house: House, broker: SmallBroker, publisher: Publisher
) -> None:
    end = house.start()
    await eventually("subscribing", subscribed(broker, 0))
    house.start()
    await eventually("subscribing", subscribed(broker, 1))
    await end()
    session = broker.session("steward-0")
    await eventually("leaving", lambda: session.connection is None)
    assert session.filters
    session.queue.append(message(5))
    house.start()
    await eventually("taking what has waited", lambda: session.held == 0 and house.store.values == [5])
    assert set(broker.sessions) >= {"steward-0", "steward-1"}
    assert "steward-2" not in broker.sessions


async def test_what_waits_for_a_worker_that_never_comes_back_is_taken_by_another(
    house: House, broker: SmallBroker
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker, 0))
    end = house.start(abandoned_after=0)
    await eventually("subscribing", subscribed(broker, 1))
    await end()
    broker.session("steward-1").queue.append(message(5))
    await eventually("taking and ending it", lambda: "steward-1" not in broker.sessions)
    assert house.store.values == [5]
    assert subscribed(broker, 0)()


async def test_a_worker_whose_slot_may_be_somebody_elses_leaves_the_session_and_comes_back(
    house: House, broker: SmallBroker, database_url: str
) -> None:
    house.start()
    await eventually("subscribing", subscribed(broker))
    first = broker.session("steward-0").connection
    connection = await asyncpg.connect(database_url)
    held = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = $1"
    assert await connection.fetch(held, 0x6D717474)
    await connection.close()
    await eventually(
        "coming back", lambda: subscribed(broker)() and broker.session("steward-0").connection is not first
    )


def self_signed(directory: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of 127.0.0.1, and the server side of it."""
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
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key_file)
    return file, context


async def test_an_encrypted_connection_needs_a_certificate_that_is_trusted(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, context = self_signed(tmp_path)
    broker = SmallBroker(tls=context)
    house = House(broker, database_url)
    try:
        with capture_logs() as logs:
            end = house.start(f"mqtts://127.0.0.1:{broker.port}")
            await eventually("refusing", lambda: "certificate" in str(logs).lower())
        await end()
        assert broker.greetings == []
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        house.start(f"mqtts://127.0.0.1:{broker.port}")
        await eventually("subscribing", subscribed(broker))
    finally:
        await house.close()
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
