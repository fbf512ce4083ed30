"""Readings over MQTT through everything: a broker, a worker process, PostgreSQL, and what the API then shows."""

import itertools
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import data_of
from tests.support.broker import Device, Mosquitto, Publisher, require_mosquitto
from tests.support.organizations import Organization
from tests.support.processes import StewardProcess
from tests.support.service import Service
from tests.support.waiting import wait_for

_names = itertools.count(1)
_TAKEN = "readings over MQTT are taken"


class Worker(StewardProcess):
    def __init__(self, service: Service, broker: Mosquitto) -> None:
        super().__init__(
            service.directory / f"mqtt-worker-{next(_names)}.log",
            "worker",
            STEWARD_DATABASE_URL=service.database_url,
            STEWARD_MQTT_URL=broker.url,
        )

    def subscribed(self, times: int = 1) -> bool:
        assert self.process.poll() is None, self.said
        return self.said.count(_TAKEN) >= times


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    require_mosquitto()
    broker = Mosquitto(tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture
def worker(service: Service, broker: Mosquitto) -> Iterator[Worker]:
    worker = Worker(service, broker)
    wait_for("subscribing", worker.subscribed)
    yield worker
    worker.stop()


@pytest.fixture
def publisher(broker: Mosquitto) -> Iterator[Publisher]:
    publisher = Publisher(broker.port)
    yield publisher
    publisher.close()


class Sensor:
    def __init__(self, organization: Organization) -> None:
        types = data_of(organization.api.get(f"/v2{organization.path}/asset-types?limit=100"))
        kind = next(t["id"] for t in types if t["name"] == "Temperature and humidity sensor")
        self.organization = organization
        self.id: str = organization.created(
            "assets", {"name": "Sensor", "assetTypeId": kind, "externalId": "BMS 42"}
        )["id"]
        self.topic = f"steward/{organization.id}/{self.id}/telemetry"
        self.began = int(time.time()) - 3600

    def message(self, n: int) -> tuple[str, str]:
        return self.topic, json.dumps({"values": {"Temperature": n}, "timestamp": self.began + n})

    def asset(self) -> dict[str, Any]:
        return data_of(self.organization.api.get(f"{self.organization.path}/assets/{self.id}"))

    def points(self, most: int) -> list[dict[str, Any]]:
        """The history, second by second."""
        return [
            point for start in range(0, most, 1000) for point in self._page(start, min(most, start + 1000))
        ]

    def _page(self, start: int, end: int) -> list[dict[str, Any]]:
        query: dict[str, Any] = {
            "key": "Temperature",
            "from": self.began + start,
            "to": self.began + end,
            "resolution": 1000,
        }
        answer = self.organization.api.get(
            f"{self.organization.path}/assets/{self.id}/telemetry", params=query
        )
        assert answer.status_code == 200, answer.text
        assert data_of(answer)["bucketSeconds"] == 1
        return data_of(answer)["series"][0]["points"]

    def has_all(self, most: int) -> bool:
        return self.asset()["lastTelemetry"] == {"Temperature": most - 1} and len(self.points(most)) == most

    def check_each_once(self, most: int) -> None:
        shown = [
            (point["timestamp"] - self.began, point["average"], point["count"]) for point in self.points(most)
        ]
        assert shown == [(n, n, 1) for n in range(most)]


@pytest.fixture
def sensor(organization: Organization) -> Sensor:
    return Sensor(organization)


def test_readings_arrive_and_show_in_the_asset(worker: Worker, publisher: Publisher, sensor: Sensor) -> None:
    publisher.publish([sensor.message(1), (sensor.topic, '{"values": {"Humidity": "high"}}')])
    wait_for("a reading", lambda: sensor.asset()["lastTelemetry"])
    asset = sensor.asset()
    assert (asset["lastTelemetry"], asset["lastSeen"]) == ({"Temperature": 1}, sensor.began + 1)
    wait_for("word of the bad one", lambda: "a reading was dropped" in worker.said)
    named = f"steward/{sensor.organization.id}/BMS 42/telemetry"
    publisher.publish([(named.replace("42", "43"), sensor.message(2)[1]), (named, sensor.message(3)[1])])
    wait_for("one by its externalId", lambda: sensor.asset()["lastTelemetry"] == {"Temperature": 3})
    wait_for("word of the unknown one", lambda: "BMS 43" in worker.said)


def test_a_command_is_stored_for_its_device_and_settled_by_its_receipt(
    service: Service, broker: Mosquitto, sensor: Sensor
) -> None:
    """Queued while no worker is there, and before the device has ever subscribed; named by its externalId in the end."""
    organization, path = sensor.organization, f"{sensor.organization.path}/assets/{sensor.id}/commands"
    asked = [
        {"name": "reboot"},
        {"name": "open", "payload": {"valve": 2}},
        {"name": "blink", "confirmed": False},
    ]
    sent = [data_of(organization.api.post(path, json=body)) for body in asked]
    assert [(one["status"], one["via"]) for one in sent] == [("queued", "mqtt")] * 3

    def state(command: dict[str, Any]) -> dict[str, Any]:
        return data_of(organization.api.get(f"{path}/{command['id']}"))

    worker = Worker(service, broker)
    try:
        wait_for("a first attempt", lambda: state(sent[0])["reason"] == "no_subscriber")
        device = Device(broker.port, f"steward/{organization.id}/BMS 42/commands")
        wait_for("the commands", lambda: len(device.told) == 3)
        told = {message["name"]: message for message in map(json.loads, device.told)}
        assert told["open"] == {
            "id": sent[1]["id"],
            "name": "open",
            "payload": {"valve": 2},
            "expiresAt": sent[1]["expiresAt"],
        }
        wait_for("the end of what nobody confirms", lambda: state(sent[2])["status"] == "sent")
        answers = f"steward/{organization.id}/BMS 42/commands/ack"
        device.publish(
            [
                (answers.replace("42", "43"), json.dumps({"id": sent[0]["id"], "error": "not mine"})),
                (answers, json.dumps({"id": sent[0]["id"]})),
                (answers, json.dumps({"id": sent[1]["id"], "error": "There is no valve 2."})),
            ]
        )
        wait_for("an acknowledgement", lambda: state(sent[0])["status"] == "acknowledged")
        wait_for("a refusal", lambda: state(sent[1])["status"] == "failed")
        refused = state(sent[1])
        assert (refused["reason"], refused["message"]) == ("refused_by_device", "There is no valve 2.")
        device.close()
    finally:
        worker.stop()


def publish_bit_by_bit(publisher: Publisher, sensor: Sensor, numbers: range) -> None:
    for start in numbers[::50]:
        publisher.publish(sensor.message(n) for n in range(start, start + 50))


def test_a_worker_that_is_killed_loses_nothing_and_stores_nothing_twice(
    service: Service, broker: Mosquitto, publisher: Publisher, sensor: Sensor
) -> None:
    most = 3000
    worker = Worker(service, broker)
    wait_for("subscribing", worker.subscribed)
    try:
        with ThreadPoolExecutor(1) as beside:
            for part in (range(most // 2), range(most // 2, most)):
                seen = sensor.asset()["lastSeen"]
                stream = beside.submit(publish_bit_by_bit, publisher, sensor, part)
                wait_for("new readings", lambda: sensor.asset()["lastSeen"] != seen)  # noqa: B023
                worker.kill()
                worker = Worker(service, broker)
                stream.result()
        wait_for("all readings", lambda: sensor.has_all(most), 120)
        sensor.check_each_once(most)
    finally:
        worker.stop()


def test_the_client_reconnects_after_a_broker_is_killed(
    worker: Worker, broker: Mosquitto, sensor: Sensor
) -> None:
    broker.kill()
    wait_for("noticing", lambda: "no readings over MQTT at the moment" in worker.said)
    broker.start()
    wait_for("coming back", lambda: worker.subscribed(times=2))
    publisher = Publisher(broker.port)
    publisher.publish([sensor.message(1)])
    publisher.close()
    wait_for("a reading", lambda: sensor.asset()["lastTelemetry"])


def test_messages_after_a_worker_stops_go_to_its_successor(
    service: Service, broker: Mosquitto, publisher: Publisher, sensor: Sensor
) -> None:
    worker = Worker(service, broker)
    wait_for("subscribing", worker.subscribed)
    assert worker.stop() == 0
    publisher.publish([sensor.message(0), sensor.message(1)])
    worker = Worker(service, broker)
    try:
        wait_for("both readings", lambda: sensor.has_all(2))
        sensor.check_each_once(2)
    finally:
        worker.stop()
