"""The connectivity check as it runs: two workers that check each second, devices that report over the API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.assets.simulated_devices import SimulatedDevices
from tests.support.processes import StewardProcess
from tests.support.service import Service
from tests.support.waiting import wait_for

CAME, WENT = {"connectionStatus": False}, {"connectionStatus": True}
# No check comes so late, on however slow a machine, that it misses a device which has reported.
LONG = 3600
# As if that much time had passed.
_EARLIER = """UPDATE assets SET last_seen = last_seen - $3, connectivity_due = connectivity_due - $3
              WHERE organization_id = $1 AND id = ANY ($2::text[])"""


@pytest.fixture
def workers(service: Service, tmp_path: Path) -> Iterator[list[StewardProcess]]:
    settings = {"STEWARD_DATABASE_URL": service.database_url, "STEWARD_CONNECTIVITY_CHECK_SECONDS": "1"}
    pieces = [StewardProcess(tmp_path / f"worker-{number}.log", "worker", **settings) for number in (1, 2)]
    yield pieces
    for piece in pieces:
        if piece.process.poll() is None:
            piece.stop()


def send(devices: SimulatedDevices, *ids: str) -> None:
    for id in ids:
        body = {"values": {"Temperature": 21.5}}
        answer = devices.organization.api.post(
            f"{devices.organization.devices.path_of(id)}/telemetry", json=body
        )
        assert answer.is_success, answer.text


def wait_until_told(devices: SimulatedDevices, ids: list[str], previous: list[dict[str, Any]]) -> None:
    def all_were_told() -> bool:
        told: dict[str, list[dict[str, Any]]] = {id: [] for id in ids}
        for event in devices.all_status_events():
            told.get(event["data"]["object"]["id"], []).append(event["data"]["previousAttributes"])
        return all(each == previous for each in told.values())

    wait_for(f"{previous} of every device", all_were_told)
    connected = len(previous) % 2 == 1
    for id in ids:
        asset = devices.read(id)
        assert (asset["connectionStatus"], asset["isOnline"]) == (connected, connected)


@pytest.mark.usefixtures("workers")
def test_devices_come_fall_silent_and_come_back(devices: SimulatedDevices) -> None:
    ids = [devices.add(name=f"S {number}", keepAlive=LONG) for number in range(10)]
    silent = devices.add(name="Never heard", keepAlive=LONG)
    plain = devices.organization.devices.create(
        "Pump", assetTypeId=devices.organization.asset_types.create("Water pump", keepAlive=LONG)["id"]
    )["id"]
    send(devices, *ids, plain)
    wait_until_told(devices, ids, [{}])
    devices.organization.sql(_EARLIER, devices.organization.id, ids, 2 * LONG)
    wait_until_told(devices, ids, [{}, WENT])
    send(devices, *ids)
    wait_until_told(devices, ids, [{}, WENT, CAME])
    for id in (silent, plain):
        assert (devices.read(id)["connectionStatus"], devices.status_events(id)) == (None, [])


@pytest.mark.usefixtures("workers")
def test_a_changed_keep_alive_applies_at_the_next_check(devices: SimulatedDevices) -> None:
    kind = devices.organization.asset_types.create("Slow sensor", isIotDevice=True, keepAlive=LONG)["id"]
    by_type, by_itself = (
        devices.organization.devices.create(name, assetTypeId=kind)["id"] for name in ("A", "B")
    )
    send(devices, by_type, by_itself)
    wait_until_told(devices, [by_type, by_itself], [{}])
    devices.change(by_itself, keepAlive=1)
    wait_until_told(devices, [by_itself], [{}, WENT])
    devices.change_type(kind, keepAlive=1)
    wait_until_told(devices, [by_type], [{}, WENT])
    devices.change(by_itself, keepAlive=LONG)
    devices.change_type(kind, keepAlive=LONG)
    wait_until_told(devices, [by_type, by_itself], [{}, WENT, CAME])


def test_another_worker_takes_over_from_a_dead_one(
    devices: SimulatedDevices, workers: list[StewardProcess]
) -> None:
    first, second = devices.add(keepAlive=LONG), devices.add(keepAlive=LONG)
    send(devices, first)
    wait_until_told(devices, [first], [{}])
    workers[0].kill()
    send(devices, second)
    wait_until_told(devices, [second], [{}])
