"""What a broker or its publishers may send to the worker: it is dropped or the connection is left, and the
next good reading is stored. What no broker says is said by a proxy before a real one."""

import contextlib
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.answers import data_of
from tests.support.broker import Mosquitto, Publisher, require_mosquitto
from tests.support.mqtt import Clients, message, publish, subscribed
from tests.support.organizations import Organization
from tests.support.processes import StewardProcess
from tests.support.proxy import FaultProxy
from tests.support.service import Service
from tests.support.waiting import wait_for, wait_for_async

from steward.ingest.decoding import decode, decode_batch, decode_items
from steward.ingest.model import Telemetry
from steward.kit.domain.problems import Problem

MANY_NINES = b"9" * 100_000
TWICE = b'{"values":{"a":"x"},"values":5}'
# Payloads of `…/telemetry`.
PAYLOADS = {
    "nothing": b"",
    "no JSON": b"nonsense",
    "bytes": bytes(range(256)),
    "a number that is too large": b'{"values":{"a":' + MANY_NINES + b"}}",
    "no UTF-8": b'{"values":{"a":"\xff"}}',
    "no UTF-8 in a key": b'{"values":{"\xff":1}}',
    "NaN beside a large number": b'{"values":{"a":NaN,"b":1' + b"0" * 30 + b"}}",
    "values twice": TWICE,
    "values twice, the second a list": b'{"values":{"a":"x"},"values":[1]}',
    "half of a pair": b'{"values":{"\\ud800":1,"b":"x"}}',
    "NUL": b'{"values":{"a\\u0000":1}}',
    "deep": b'{"values":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001,
    "brackets": b"[" * 200_000,
    "very many values": json.dumps({"values": {f"k{n}": n for n in range(20_000)}}).encode(),
    "a time to come": b'{"values":{"a":1},"timestamp":99999999999}',
    "a negative time": b'{"values":{"a":1},"timestamp":-1}',
    "a large time": b'{"values":{"a":1},"timestamp":' + b"9" * 400 + b"}",
}
TOPICS = {
    "another level": "steward/ORG/ASSET/telemetry/more",
    "nobody's organization": "steward/org_0/ASSET/telemetry",
    "nobody's asset": "steward/ORG/ast_0/telemetry",
    "empty levels": "steward///telemetry",
    "dots": "steward/../ASSET/telemetry",
    "a long name": "steward/ORG/" + "a" * 20_000 + "/telemetry",
    "quotes": "steward/ORG/';DROP TABLE assets;--/telemetry",
}
# What no broker should say; after most of them the connection can only be left.
PACKETS = {
    "random bytes": Random(7).randbytes(2000),
    "a reserved kind": b"\x00\x00",
    "kind 15 without its login": b"\xf0\x02\x18\x00",
    "a length without end": b"\x30\xff\xff\xff\xff\x7f",
    "a length over the limit": b"\x30\xff\xff\xff\x7f",
    "a topic longer than its packet": b"\x30\x05\xff\xff\x61\x62\x63",
    "a message without a topic": b"\x30\x00",
    "properties longer than the packet": b"\x30\x05\x00\x01a\xff\x7f",
    "an acknowledgement of nothing": b"\x90\x04\x77\x77\x00\x00",
    "a second welcome": b"\x20\x03\x00\x00\x00",
    "a packet of clients": b"\x82\x06\x00\x01\x00\x00\x01#",
    "goodbye": b"\xe0\x00",
}


@pytest.mark.parametrize("name", PAYLOADS)
async def test_a_payload_is_a_reading_or_a_problem(name: str) -> None:
    with contextlib.suppress(Problem):
        decode(Telemetry, PAYLOADS[name])
    with contextlib.suppress(Problem):
        await decode_items(decode_batch(b'{"readings":[' + PAYLOADS[name] + b"]}"))


FRAGMENTS = [
    *(b'{"values":', b'"a":', b'"timestamp":', b"{", b"}", b"[", b"]", b",", b"1", b"true", b"null", b'"x"'),
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b'"\xff"', b'"\\ud800"', b"\0", b"\xef\xbb\xbf"),
]


@given(
    st.binary(max_size=200)
    | st.lists(
        st.sampled_from(FRAGMENTS),
        max_size=12,
    ).map(b"".join)
)
async def test_any_bytes_are_a_reading_or_a_problem(payload: bytes) -> None:
    with contextlib.suppress(Problem):
        decode(Telemetry, payload)
    for batch in (payload, b'{"readings":[' + payload + b"]}"):
        with contextlib.suppress(Problem):
            await decode_items(decode_batch(batch))


class Device:
    def __init__(self, organization: Organization) -> None:
        kind = data_of(organization.api.get(f"/v2{organization.path}/asset-types"))[0]["id"]
        self.organization = organization
        self.asset_id = organization.created("assets", {"name": "Sensor", "assetTypeId": kind})["id"]
        self.topic = f"steward/{organization.id}/{self.asset_id}/telemetry"
        self.number = 0

    def named(self, topic: str) -> str:
        return topic.replace("ORG", self.organization.id).replace("ASSET", self.asset_id)

    def reports(self, publisher: Publisher) -> None:
        """A good reading gets through, whatever came before it."""
        self.number += 1
        number = self.number
        publisher.publish(
            [(self.topic, json.dumps({"values": {"n": number}, "timestamp": int(time.time())}))]
        )
        path = f"{self.organization.path}/assets/{self.asset_id}"
        wait_for(
            f"storing of reading {number}",
            lambda: data_of(self.organization.api.get(path))["lastTelemetry"] == {"n": number},
        )


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
def worker(service: Service, broker: Mosquitto) -> Iterator[StewardProcess]:
    worker = StewardProcess(
        service.directory / "mqtt-corpus.log",
        "worker",
        STEWARD_DATABASE_URL=service.database_url,
        STEWARD_MQTT_URL=broker.url,
    )
    wait_for("subscribing", subscribed(broker))
    yield worker
    worker.stop()


def test_bad_messages_are_dropped_and_good_ones_processed(
    worker: StewardProcess, broker: Mosquitto, publisher: Publisher, organization: Organization
) -> None:
    device = Device(organization)
    device.reports(publisher)
    publisher.publish((device.topic, payload) for payload in PAYLOADS.values())
    publisher.publish((device.named(topic), '{"values":{"n":-1}}') for topic in TOPICS.values())
    device.reports(publisher)
    wait_for("acknowledging of all", lambda: broker.acknowledged() == broker.sent())
    # All but those without a subscription.
    assert broker.sent() == 2 + len(PAYLOADS) + len(TOPICS) - 1
    assert worker.process.poll() is None
    assert "Traceback" not in worker.said


@pytest.fixture
def proxy(broker: Mosquitto) -> Iterator[FaultProxy]:
    with FaultProxy(f"127.0.0.1:{broker.port}") as proxy:
        yield proxy


@pytest.fixture
async def clients(proxy: FaultProxy, database_url: str) -> AsyncIterator[Clients]:
    clients = Clients(f"mqtt://127.0.0.1:{proxy.port}", database_url)
    yield clients
    await clients.close()


async def test_a_protocol_violation_of_the_broker_ends_the_connection_and_is_retried(
    clients: Clients, broker: Mosquitto, publisher: Publisher, proxy: FaultProxy
) -> None:
    """By the client alone, which here waits less before it tries again."""
    clients.start()
    await wait_for_async("subscribing", subscribed(broker))
    for number, (name, packet) in enumerate(PACKETS.items()):
        proxy.say(packet)
        await publish(publisher, message(number))
        await wait_for_async(f"storing after {name}", lambda: number in clients.store.values)  # noqa: B023
