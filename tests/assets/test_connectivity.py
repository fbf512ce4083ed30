"""The connectivity check: who is connected, what is told of it, and that nothing else is."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.assets.devices import KEEP_ALIVE, START, Building, with_pool
from tests.support.organizations import Organization
from tests.webhooks.helpers import Desk

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
def test_what_is_no_device_or_never_reported_is_not_judged(
    recorded: bool | None, fields: dict[str, Any]
) -> None:
    assert evaluate(device(connection_status=recorded, **fields), START) == (recorded, None)


@given(
    st.integers(0, 10**10),
    st.integers(1, 10**8),
    st.integers(0, 10**10),
    st.sampled_from([None, True, False]),
)
def test_the_next_look_comes_just_when_the_judgement_would_change(
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
def test_every_change_is_told_once_and_nothing_else(
    building: Building,
    recorded: bool | None,
    silent_for: int,
    connected: bool,
    previous: dict[str, Any] | None,
) -> None:
    id = building.sensor(recorded, locationId=building.location_id)
    before, known = building.read(id), len(building.told(id))
    heard_at = START + 10 * KEEP_ALIVE
    building.report(id, at=heard_at)
    now = heard_at + silent_for
    building.check(now)
    after = building.read(id)
    changed = {"connectionStatus": connected, "isOnline": connected, "updated": now}
    news = {"lastSeen": heard_at, "lastTelemetry": {"Temperature": 21}}
    assert after == {**before, **news, **({} if previous is None else changed)}
    shown = "id name organizationId assetTypeId locationId status connectionStatus isOnline"
    for _ in range(2):
        events = building.told(id)[known:]
        assert events == (
            []
            if previous is None
            else [
                {
                    "id": events[0]["id"],
                    "type": "asset.status.changed",
                    "organizationId": building.org.id,
                    "created": now,
                    "data": {
                        "object": {name: after[name] for name in shown.split()},
                        "previousAttributes": previous,
                    },
                    "livemode": True,
                }
            ]
        )
        building.check(now)


def test_a_life_of_a_device_is_told_in_order(building: Building) -> None:
    id = building.sensor()
    building.report(id)
    for now in range(START, START + 5 * KEEP_ALIVE, 120):
        building.check(now)
    building.report(id, at=START + 5 * KEEP_ALIVE)
    for now in range(START + 5 * KEEP_ALIVE, START + 8 * KEEP_ALIVE, 120):
        building.check(now)
    assert building.previous(id) == [
        {},
        {"connectionStatus": True},
        {"connectionStatus": False},
        {"connectionStatus": True},
    ]
    assert [event["data"]["object"]["connectionStatus"] for event in building.told(id)] == [
        True,
        False,
        True,
        False,
    ]


def test_a_device_that_keeps_reporting_is_never_told_of_again(building: Building) -> None:
    id = building.sensor(True)
    for step in range(1, 20):
        building.report(id, at=START + step * 300)
        building.check(START + step * 300)
    assert building.previous(id) == [{}]
    assert building.read(id)["connectionStatus"] is True


def test_a_device_that_never_reported_has_no_record(building: Building) -> None:
    id = building.sensor()
    building.change(id, keepAlive=1)
    building.check(START)
    assert (building.read(id)["connectionStatus"], building.told(id)) == (None, [])


def test_an_asset_whose_type_is_no_device_is_not_checked(building: Building) -> None:
    pump = building.new_type("Plain pump", keepAlive=1)["id"]
    id = building.sensor(assetTypeId=pump)
    building.report(id)
    building.change(id, keepAlive=5)
    building.check(START + 100)
    assert (building.read(id)["connectionStatus"], building.told(id)) == (None, [])


def test_an_assets_own_window_comes_before_its_types(building: Building) -> None:
    short, long = building.sensor(True, keepAlive=60), building.sensor(True, keepAlive=6000)
    building.check(START + 61)
    assert [building.read(id)["connectionStatus"] for id in (short, long)] == [False, True]
    building.check(START + KEEP_ALIVE + 1)
    assert building.read(long)["connectionStatus"] is True


def test_a_shorter_window_of_an_asset_holds_at_the_next_check(building: Building) -> None:
    id, other = building.sensor(True), building.sensor(True)
    building.change(id, keepAlive=10)
    building.check(START + 11)
    assert [building.read(one)["connectionStatus"] for one in (id, other)] == [False, True]
    building.change(id, keepAlive=None)
    building.check(START + 12)
    assert building.previous(id) == [{}, {"connectionStatus": True}, {"connectionStatus": False}]
    building.check(END)
    building.check(END + 1)
    assert [building.read(one)["connectionStatus"] for one in (id, other)] == [False, False]


def test_a_shorter_window_of_a_type_holds_at_the_next_check(building: Building) -> None:
    ids = [building.sensor(True) for _ in range(5)]
    own = building.sensor(True, keepAlive=KEEP_ALIVE)
    building.change_type(building.type_id, keepAlive=10)
    building.check(START + 10, batch_size=2)
    assert [building.read(id)["connectionStatus"] for id in ids] == [True] * 5
    building.check(START + 11, batch_size=2)
    assert [building.read(id)["connectionStatus"] for id in ids] == [False] * 5
    assert building.read(own)["connectionStatus"] is True
    assert [building.previous(id) for id in ids] == [[{}, {"connectionStatus": True}]] * 5


def test_a_longer_window_of_a_type_takes_back_those_within_it(building: Building) -> None:
    old, late = building.sensor(False), building.sensor()
    building.report(late, at=START + KEEP_ALIVE)
    building.check(START + 3 * KEEP_ALIVE)
    assert building.read(late)["connectionStatus"] is False
    building.change_type(building.type_id, keepAlive=2 * KEEP_ALIVE)
    building.check(START + 3 * KEEP_ALIVE)
    assert [building.read(id)["connectionStatus"] for id in (old, late)] == [False, True]
    assert building.previous(late) == [{}, {"connectionStatus": False}]
    building.check(START + 3 * KEEP_ALIVE + 1)
    assert building.read(late)["connectionStatus"] is False


def test_a_type_that_becomes_a_device_is_checked_from_then_on(building: Building) -> None:
    pump = building.new_type("Pump to be", keepAlive=60)["id"]
    id, silent = building.sensor(assetTypeId=pump), building.sensor(assetTypeId=pump)
    building.report(id)
    building.check(START)
    assert building.read(id)["connectionStatus"] is None
    building.change_type(pump, isIotDevice=True)
    building.check(START + 60)
    assert (building.read(id)["connectionStatus"], building.previous(id)) == (True, [{}])
    assert building.read(silent)["connectionStatus"] is None


def test_a_type_that_is_no_device_any_more_keeps_what_was_recorded(building: Building) -> None:
    kind = building.new_type("Sensor for a while", isIotDevice=True, keepAlive=60)["id"]
    id = building.sensor(True, assetTypeId=kind)
    building.change_type(kind, isIotDevice=False)
    building.check(START + 1000)
    assert (building.read(id)["connectionStatus"], building.previous(id)) == (True, [{}])
    building.change_type(kind, isIotDevice=True)
    building.check(START + 1000)
    assert building.previous(id) == [{}, {"connectionStatus": True}]


def test_an_asset_of_another_type_goes_by_that(building: Building) -> None:
    quick = building.new_type("Quick sensor", isIotDevice=True, keepAlive=5)["id"]
    id = building.sensor(True)
    building.change(id, assetTypeId=quick)
    building.check(START + 6)
    assert building.previous(id) == [{}, {"connectionStatus": True}]


def test_a_type_that_changes_in_other_ways_moves_no_look(building: Building) -> None:
    id = building.sensor(True)

    def version() -> list[Any]:
        return building.sql("SELECT xmin::text, connectivity_due FROM assets WHERE id = $1", id)

    before = version()
    building.change_type(building.type_id, name="Renamed", keepAlive=KEEP_ALIVE)
    building.check(END)
    assert version() == before
    building.change_type(building.type_id, keepAlive=2 * KEEP_ALIVE)
    building.check(END)
    assert version() == before


@pytest.mark.parametrize("heard", [True, False])
def test_a_webhook_hears_of_its_devices(building: Building, heard: bool) -> None:
    context = Desk(building.org)
    id, other = building.sensor(locationId=building.location_id), building.sensor()
    criteria = {"locationId": [building.location_id if heard else "loc_elsewhere"]}
    # Nothing is ever sent: what happens so far ahead is due for delivery then.
    filtering = {"mode": "include", "criteria": criteria}
    webhook = context.make("asset.status.changed", filtering=filtering)
    building.report(id, other)
    building.check(START)
    wanted = [event["id"] for event in building.told(id)] if heard else []
    assert [delivery["eventId"] for delivery in context.deliveries(webhook)] == wanted


def test_several_workers_at_once_tell_of_every_change_once(building: Building) -> None:
    ids = [building.sensor(name=f"S {n}") for n in range(40)]
    building.report(*ids)

    async def work(pool: Pool) -> list[int]:
        return await asyncio.gather(*(check_connectivity(pool, START, batch_size=7) for _ in range(4)))

    found = with_pool(building.org.database_url, work, size=8)
    # What one worker was busy with, others left to it; whoever looks next finds nothing more to tell.
    assert sum(found) == len(ids)
    assert building.check(START) == 0
    about = [event["data"]["object"]["id"] for event in building.all_told()]
    assert sorted(about) == sorted(ids)


def test_what_somebody_is_changing_is_left_for_the_next_check_and_holds_up_no_other(
    building: Building,
) -> None:
    held, free = building.sensor(), building.sensor()
    building.report(held, at=START - 10)
    building.report(free)

    async def check_while_held(pool: Pool) -> None:
        connection = await asyncpg.connect(building.org.database_url)
        try:
            async with connection.transaction():
                await connection.execute("SELECT 1 FROM assets WHERE id = $1 FOR NO KEY UPDATE", held)
                await check_connectivity(pool, START, batch_size=1)
        finally:
            await connection.close()

    with_pool(building.org.database_url, check_while_held)
    assert [building.read(id)["connectionStatus"] for id in (held, free)] == [None, True]
    building.check(START)
    assert building.previous(held) == [{}]


def test_what_somebody_was_changing_hides_no_other_when_it_is_done(building: Building) -> None:
    held, *free = (building.sensor(name=f"S {n}") for n in range(4))
    building.report(held, at=START - 10)
    building.report(*free)

    class OneIsLetGo(Pool):
        """Whoever is at the held device is done with it once the check has passed it over."""

        @asynccontextmanager
        async def transaction(self) -> AsyncIterator[Transaction]:
            async with super().transaction() as tx:
                yield tx
            if connection.is_in_transaction():
                await holding.commit()

    async def check_while_held() -> None:
        nonlocal connection, holding
        connection = await asyncpg.connect(building.org.database_url)
        holding = connection.transaction()
        await holding.start()
        await connection.execute("UPDATE assets SET connectivity_due = NULL WHERE id = $1", held)
        pool = OneIsLetGo(building.org.database_url, 2)
        try:
            await check_connectivity(pool, START, batch_size=1)
        finally:
            await pool.close()
            await connection.close()

    connection: Any = None
    holding: Any = None
    asyncio.run(check_while_held())
    assert [building.read(id)["connectionStatus"] for id in (held, *free)] == [None, True, True, True]


def test_each_organization_hears_of_its_own(building: Building, found: Callable[..., Organization]) -> None:
    other = Building(found())
    ids = [(where, where.sensor()) for where in (building, other) for _ in range(2)]
    for where, id in ids:
        where.report(id)
    building.check(START)
    for where in (building, other):
        mine = sorted(id for owner, id in ids if owner is where)
        assert sorted(event["data"]["object"]["id"] for event in where.all_told()) == mine
