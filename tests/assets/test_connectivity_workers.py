"""The connectivity check as it runs: two workers that check each second, devices that report over the API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.assets.devices import Building
from tests.conftest import Service
from tests.support.processes import Piece, wait_for

CAME, WENT = {"connectionStatus": False}, {"connectionStatus": True}
# Long enough for a check to see a device that has just reported, also on a busy machine.
SHORT = 8
LONG = 3600


@pytest.fixture
def workers(service: Service, tmp_path: Path) -> Iterator[list[Piece]]:
    settings = {"STEWARD_DATABASE_URL": service.database_url, "STEWARD_CONNECTIVITY_CHECK_SECONDS": "1"}
    pieces = [Piece(tmp_path / f"worker-{number}.log", "worker", **settings) for number in (1, 2)]
    yield pieces
    for piece in pieces:
        if piece.process.poll() is None:
            piece.stop()


def send(building: Building, *ids: str) -> None:
    for id in ids:
        body = {"values": {"Temperature": 21.5}}
        answer = building.api.post(f"{building.one(id)}/telemetry", json=body)
        assert answer.is_success, answer.text


def wait_until_told(building: Building, ids: list[str], previous: list[dict[str, Any]]) -> None:
    wait_for(
        f"{previous} of every device",
        lambda: all(building.previous(id) == previous for id in ids),
        seconds=60,
    )
    connected = len(previous) % 2 == 1
    for id in ids:
        asset = building.read(id)
        assert (asset["connectionStatus"], asset["isOnline"]) == (connected, connected)


@pytest.mark.usefixtures("workers")
def test_devices_come_fall_silent_and_come_back(building: Building) -> None:
    ids = [building.sensor(name=f"S {number}", keepAlive=SHORT) for number in range(10)]
    silent = building.sensor(name="Never heard", keepAlive=SHORT)
    plain = building.make("Pump", assetTypeId=building.new_type("Water pump", keepAlive=SHORT)["id"])["id"]
    send(building, *ids, plain)
    wait_until_told(building, ids, [{}])
    wait_until_told(building, ids, [{}, WENT])
    send(building, *ids)
    wait_until_told(building, ids, [{}, WENT, CAME])
    for id in (silent, plain):
        assert (building.read(id)["connectionStatus"], building.told(id)) == (None, [])


@pytest.mark.usefixtures("workers")
def test_another_window_holds_at_the_next_check(building: Building) -> None:
    kind = building.new_type("Slow sensor", isIotDevice=True, keepAlive=LONG)["id"]
    by_type, by_itself = (building.make(name, assetTypeId=kind)["id"] for name in ("A", "B"))
    send(building, by_type, by_itself)
    wait_until_told(building, [by_type, by_itself], [{}])
    building.change(by_itself, keepAlive=1)
    wait_until_told(building, [by_itself], [{}, WENT])
    building.change_type(kind, keepAlive=1)
    wait_until_told(building, [by_type], [{}, WENT])
    building.change(by_itself, keepAlive=LONG)
    building.change_type(kind, keepAlive=LONG)
    wait_until_told(building, [by_type, by_itself], [{}, WENT, CAME])


def test_where_a_worker_dies_another_goes_on(building: Building, workers: list[Piece]) -> None:
    first, second = building.sensor(keepAlive=LONG), building.sensor(keepAlive=LONG)
    send(building, first)
    wait_until_told(building, [first], [{}])
    workers[0].kill()
    send(building, second)
    wait_until_told(building, [second], [{}])
