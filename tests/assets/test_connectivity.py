"""The connectivity check: who is connected, and which events it writes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assets.simulated_devices import START, SimulatedDevices
from tests.support.organizations import Organization
from tests.support.records.assets import KEEP_ALIVE

from steward.assets.connectivity.jobs import check_connectivity
from steward.assets.connectivity.model import DeviceConnectivity
from steward.assets.connectivity.rules import evaluate
from steward.kit.db.pool import Pool, Transaction

END = START + KEEP_ALIVE


def device(**fields: Any) -> DeviceConnectivity:
    known: dict[str, Any] = {
        "id": "ast_1",
        "name": "Sensor",
        "organization_id": "org_1",
        "asset_type_id": "aty_1",
        "location_id": None,
        "status": "Normal",
        "connection_status": None,
        "is_online": None,
        "last_seen": START,
        "keep_alive": KEEP_ALIVE,
        "is_iot_device": True,
    }
    return DeviceConnectivity(**{**known, **fields})


@pytest.mark.parametrize("recorded", [None, True, False])
@pytest.mark.parametrize(
    ("fields", "now", "judged"),
    [
        ({}, START, (True, END + 1)),
        ({}, END, (True, END + 1)),
        ({}, END + 1, (False, None)),
        ({"keep_alive": 1}, START + 1, (True, START + 2)),
        ({"keep_alive": 1}, START + 2, (False, None)),
    ],
)
def test_a_device_is_connected_while_its_last_reading_is_within_its_window(
    recorded: bool | None, fields: dict[str, Any], now: int, judged: tuple[bool, int | None]
) -> None:
    assert evaluate(device(connection_status=recorded, **fields), now) == judged


@pytest.mark.parametrize("recorded", [None, True, False])
@pytest.mark.parametrize("fields", [{"is_iot_device": False}, {"last_seen": None}])
def test_assets_without_readings_are_not_evaluated(recorded: bool | None, fields: dict[str, Any]) -> None:
    assert evaluate(device(connection_status=recorded, **fields), START) == (recorded, None)


@given(
    st.integers(0, 10**10),
    st.integers(1, 10**8),
    st.integers(0, 10**10),
    st.sampled_from([None, True, False]),
)
def test_the_next_check_is_due_when_the_result_would_change(
    last_seen: int, keep_alive: int, now: int, recorded: bool | None
) -> None:
    asked = device(last_seen=last_seen, keep_alive=keep_alive, connection_status=recorded)
    connected, due = evaluate(asked, now)
    assert connected is (now - last_seen <= keep_alive)
    if connected:
        assert due is not None
        assert due > now
        assert [evaluate(asked, moment)[0] for moment in (due - 1, due)] == [True, False]
    else:
        assert due is None


@pytest.mark.parametrize(
    ("recorded", "silent_for", "connected", "previous"),
    [
        (None, 0, True, {}),
        (None, KEEP_ALIVE, True, {}),
        (None, KEEP_ALIVE + 1, False, {}),
        (True, KEEP_ALIVE, True, None),
        (True, KEEP_ALIVE + 1, False, {"connectionStatus": True}),
        (False, 0, True, {"connectionStatus": False}),
        (False, KEEP_ALIVE, True, {"connectionStatus": False}),
        (False, KEEP_ALIVE + 1, False, None),
    ],
)
def test_every_change_writes_exactly_one_event(
    devices: SimulatedDevices,
    recorded: bool | None,
    silent_for: int,
    connected: bool,
    previous: dict[str, Any] | None,
) -> None:
    id = devices.add(recorded, locationId=devices.organization.locations.first_id)
    before, known = devices.read(id), len(devices.status_events(id))
    heard_at = START + 10 * KEEP_ALIVE
    devices.report(id, at=heard_at)
    now = heard_at + silent_for
    devices.check(now)
    after = devices.read(id)
    changed = {"connectionStatus": connected, "isOnline": connected, "updated": now}
    news = {"lastSeen": heard_at, "lastTelemetry": {"Temperature": 21}}
    assert after == {**before, **news, **({} if previous is None else changed)}
    shown = "id name organizationId assetTypeId locationId status connectionStatus isOnline"
    for _ in range(2):
        events = devices.status_events(id)[known:]
        assert events == (
            []
            if previous is None
            else [
                {
                    "id": events[0]["id"],
                    "type": "asset.status.changed",
                    "organizationId": devices.organization.id,
                    "created": now,
                    "data": {
                        "object": {name: after[name] for name in shown.split()},
                        "previousAttributes": previous,
                    },
                    "livemode": True,
                }
            ]
        )
        devices.check(now)


def test_the_events_of_a_device_arrive_in_order(devices: SimulatedDevices) -> None:
    id = devices.add()
    devices.report(id)
    for now in range(START, START + 5 * KEEP_ALIVE, 120):
        devices.check(now)
    devices.report(id, at=START + 5 * KEEP_ALIVE)
    for now in range(START + 5 * KEEP_ALIVE, START + 8 * KEEP_ALIVE, 120):
        devices.check(now)
    assert devices.previous_attributes(id) == [
        {},
        {"connectionStatus": True},
        {"connectionStatus": False},
        {"connectionStatus": True},
    ]
    assert [event["data"]["object"]["connectionStatus"] for event in devices.status_events(id)] == [
        True,
        False,
        True,
        False,
    ]


def test_a_device_that_keeps_reporting_writes_no_further_connectivity_events(
    devices: SimulatedDevices,
) -> None:
    id = devices.add(True)
    for step in range(1, 20):
        devices.report(id, at=START + step * 300)
        devices.check(START + step * 300)
    assert devices.previous_attributes(id) == [{}]
    assert devices.read(id)["connectionStatus"] is True


def test_a_device_that_never_reported_has_no_record(devices: SimulatedDevices) -> None:
    id = devices.add()
    devices.change(id, keepAlive=1)
    devices.check(START)
    assert (devices.read(id)["connectionStatus"], devices.status_events(id)) == (None, [])


def test_an_asset_whose_type_is_no_device_is_not_checked(devices: SimulatedDevices) -> None:
    pump = devices.organization.asset_types.create("Plain pump", keepAlive=1)["id"]
    id = devices.add(assetTypeId=pump)
    devices.report(id)
    devices.change(id, keepAlive=5)
    devices.check(START + 100)
    assert (devices.read(id)["connectionStatus"], devices.status_events(id)) == (None, [])


def test_the_keep_alive_of_an_asset_overrides_its_type(devices: SimulatedDevices) -> None:
    short, long = devices.add(True, keepAlive=60), devices.add(True, keepAlive=6000)
    devices.check(START + 61)
    assert [devices.read(id)["connectionStatus"] for id in (short, long)] == [False, True]
    devices.check(START + KEEP_ALIVE + 1)
    assert devices.read(long)["connectionStatus"] is True


def test_a_shorter_window_of_an_asset_holds_at_the_next_check(devices: SimulatedDevices) -> None:
    id, other = devices.add(True), devices.add(True)
    devices.change(id, keepAlive=10)
    devices.check(START + 11)
    assert [devices.read(one)["connectionStatus"] for one in (id, other)] == [False, True]
    devices.change(id, keepAlive=None)
    devices.check(START + 12)
    assert devices.previous_attributes(id) == [{}, {"connectionStatus": True}, {"connectionStatus": False}]
    devices.check(END)
    devices.check(END + 1)
    assert [devices.read(one)["connectionStatus"] for one in (id, other)] == [False, False]


def test_a_shorter_window_of_a_type_holds_at_the_next_check(devices: SimulatedDevices) -> None:
    ids = [devices.add(True) for _ in range(5)]
    own = devices.add(True, keepAlive=KEEP_ALIVE)
    devices.change_type(devices.type_id, keepAlive=10)
    devices.check(START + 10, batch_size=2)
    assert [devices.read(id)["connectionStatus"] for id in ids] == [True] * 5
    devices.check(START + 11, batch_size=2)
    assert [devices.read(id)["connectionStatus"] for id in ids] == [False] * 5
    assert devices.read(own)["connectionStatus"] is True
    assert [devices.previous_attributes(id) for id in ids] == [[{}, {"connectionStatus": True}]] * 5


def test_a_longer_keep_alive_of_a_type_reconnects_assets_within_it(devices: SimulatedDevices) -> None:
    old, late = devices.add(False), devices.add()
    devices.report(late, at=START + KEEP_ALIVE)
    devices.check(START + 3 * KEEP_ALIVE)
    assert devices.read(late)["connectionStatus"] is False
    devices.change_type(devices.type_id, keepAlive=2 * KEEP_ALIVE)
    devices.check(START + 3 * KEEP_ALIVE)
    assert [devices.read(id)["connectionStatus"] for id in (old, late)] == [False, True]
    assert devices.previous_attributes(late) == [{}, {"connectionStatus": False}]
    devices.check(START + 3 * KEEP_ALIVE + 1)
    assert devices.read(late)["connectionStatus"] is False


def test_a_type_that_becomes_a_device_is_checked_from_then_on(devices: SimulatedDevices) -> None:
    pump = devices.organization.asset_types.create("Pump to be", keepAlive=60)["id"]
    id, silent = devices.add(assetTypeId=pump), devices.add(assetTypeId=pump)
    devices.report(id)
    devices.check(START)
    assert devices.read(id)["connectionStatus"] is None
    devices.change_type(pump, isIotDevice=True)
    devices.check(START + 60)
    assert (devices.read(id)["connectionStatus"], devices.previous_attributes(id)) == (True, [{}])
    assert devices.read(silent)["connectionStatus"] is None


def test_a_type_that_is_no_longer_a_device_keeps_its_history(devices: SimulatedDevices) -> None:
    kind = devices.organization.asset_types.create("Sensor for a while", isIotDevice=True, keepAlive=60)["id"]
    id = devices.add(True, assetTypeId=kind)
    devices.change_type(kind, isIotDevice=False)
    devices.check(START + 1000)
    assert (devices.read(id)["connectionStatus"], devices.previous_attributes(id)) == (True, [{}])
    devices.change_type(kind, isIotDevice=True)
    devices.check(START + 1000)
    assert devices.previous_attributes(id) == [{}, {"connectionStatus": True}]


def test_changing_the_type_of_an_asset_applies_its_keep_alive(devices: SimulatedDevices) -> None:
    quick = devices.organization.asset_types.create("Quick sensor", isIotDevice=True, keepAlive=5)["id"]
    id = devices.add(True)
    devices.change(id, assetTypeId=quick)
    devices.check(START + 6)
    assert devices.previous_attributes(id) == [{}, {"connectionStatus": True}]


def test_other_changes_of_a_type_do_not_reschedule_checks(devices: SimulatedDevices) -> None:
    id = devices.add(True)

    def version() -> list[Any]:
        return devices.organization.sql("SELECT xmin::text, connectivity_due FROM assets WHERE id = $1", id)

    before = version()
    devices.change_type(devices.type_id, name="Renamed", keepAlive=KEEP_ALIVE)
    devices.check(END)
    assert version() == before
    devices.change_type(devices.type_id, keepAlive=2 * KEEP_ALIVE)
    devices.check(END)
    assert version() == before


@pytest.mark.parametrize("heard", [True, False])
def test_a_webhook_gets_the_events_of_its_devices(devices: SimulatedDevices, heard: bool) -> None:
    id, other = devices.add(locationId=devices.organization.locations.first_id), devices.add()
    elsewhere = devices.organization.locations.create(name="Elsewhere")["id"]
    criteria = {"locationId": [devices.organization.locations.first_id if heard else elsewhere]}
    # Nothing is ever sent: what happens so far ahead is due for delivery then.
    filtering = {"mode": "include", "criteria": criteria}
    webhook = devices.organization.webhooks.create("asset.status.changed", filtering=filtering)
    devices.report(id, other)
    devices.check(START)
    wanted = [event["id"] for event in devices.status_events(id)] if heard else []
    assert [delivery["eventId"] for delivery in devices.organization.webhooks.deliveries(webhook)] == wanted


def test_several_workers_write_each_event_once(devices: SimulatedDevices) -> None:
    ids = [devices.add(name=f"S {n}") for n in range(40)]
    devices.report(*ids)

    async def work(pool: Pool) -> list[int]:
        return await asyncio.gather(*(check_connectivity(pool, START, batch_size=7) for _ in range(4)))

    found = devices.organization.with_pool(work, size=8)
    # What one worker was busy with, others left to it; the next check finds nothing to report.
    assert sum(found) == len(ids)
    assert devices.check(START) == 0
    about = [event["data"]["object"]["id"] for event in devices.all_status_events()]
    assert sorted(about) == sorted(ids)


def test_locked_records_wait_for_the_next_check_without_delaying_others(
    devices: SimulatedDevices,
) -> None:
    held, free = devices.add(), devices.add()
    devices.report(held, at=START - 10)
    devices.report(free)

    async def check_while_held(pool: Pool) -> None:
        connection = await asyncpg.connect(devices.organization.database_url)
        try:
            async with connection.transaction():
                await connection.execute(
                    "SELECT 1 FROM assets WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE",
                    devices.organization.id,
                    held,
                )
                await check_connectivity(pool, START, batch_size=1)
        finally:
            await connection.close()

    devices.organization.with_pool(check_while_held)
    assert [devices.read(id)["connectionStatus"] for id in (held, free)] == [None, True]
    devices.check(START)
    assert devices.previous_attributes(held) == [{}]


def test_a_locked_record_hides_no_other_afterwards(devices: SimulatedDevices) -> None:
    held, *free = (devices.add(name=f"S {n}") for n in range(4))
    devices.report(held, at=START - 10)
    devices.report(*free)

    connection: Any = None
    holding: Any = None

    class OneIsLetGo(Pool):
        """The check of the held device ends once the check has passed it over."""

        @asynccontextmanager
        async def transaction(self) -> AsyncIterator[Transaction]:
            async with super().transaction() as tx:
                yield tx
            if connection.is_in_transaction():
                await holding.commit()

    async def check_while_held() -> None:
        nonlocal connection, holding
        connection = await asyncpg.connect(devices.organization.database_url)
        holding = connection.transaction()
        await holding.start()
        await connection.execute("UPDATE assets SET connectivity_due = NULL WHERE id = $1", held)
        pool = OneIsLetGo(devices.organization.database_url, 2)
        try:
            await check_connectivity(pool, START, batch_size=1)
        finally:
            await pool.close()
            await connection.close()

    asyncio.run(check_while_held())
    assert [devices.read(id)["connectionStatus"] for id in (held, *free)] == [None, True, True, True]


def test_each_organization_is_notified_of_its_own_changes(
    devices: SimulatedDevices, new_organization: Callable[..., Organization]
) -> None:
    other = SimulatedDevices(new_organization())
    ids = [(where, where.add()) for where in (devices, other) for _ in range(2)]
    for where, id in ids:
        where.report(id)
    devices.check(START)
    for where in (devices, other):
        mine = sorted(id for owner, id in ids if owner is where)
        assert sorted(event["data"]["object"]["id"] for event in where.all_status_events()) == mine
