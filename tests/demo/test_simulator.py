"""The simulator reports through the intake, goes on from what the database knows, and brings each day its people."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.demo.seeded import SeededDemo
from tests.support.databases import fetch, with_pool
from tests.support.waiting import limit

from steward.alert_rules.queries import load_rule_index
from steward.assets.commands import actions as commands
from steward.assets.commands.model import NewCommand
from steward.demo.agenda import BOOKED_DAYS_AHEAD
from steward.demo.campus import SENSORS, SOCKET
from steward.demo.faults import FaultKind, faults_at
from steward.demo.life import Life
from steward.demo.past import DAY, HOUR, day_start, local_date
from steward.demo.simulator import TURN_SECONDS, TURNS, DeviceSimulator, play
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.rules import TimeWindow
from steward.ingest.store import Store
from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.db.pool import Pool
from steward.kit.records.context import Context
from steward.kit.runtime import clock

T = TypeVar("T")
_WINDOW = TimeWindow(30 * DAY)


def _with_writer(url: str, work: Callable[[Pool, BatchWriter], Awaitable[T]]) -> T:
    async def main(pool: Pool) -> T:
        writer = BatchWriter(Pool(url, 2), Store(TenantCache(load_rule_index)).take, max_waiting=10_000)
        try:
            return await work(pool, writer)
        finally:
            await writer.stop()

    return with_pool(url, main)


def _shown(seeded: SeededDemo) -> dict[str, tuple[int, float | None]]:
    """When each sensor was last seen, and what its meter shows."""
    rows = fetch(
        seeded.url,
        "SELECT external_id, last_seen, (last_telemetry->>'Energy')::float8 FROM assets "
        "WHERE organization_id = $1 AND last_seen IS NOT NULL",
        seeded.demo.organization_id,
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def test_all_report_at_the_start_then_each_in_its_turn(seeded: SeededDemo) -> None:
    now = clock.now() + 60

    async def work(pool: Pool, writer: BatchWriter) -> list[int]:
        devices = DeviceSimulator(pool, writer, _WINDOW, seeded.caller)
        return [await devices.report(now + turn * TURN_SECONDS) for turn in range(TURNS + 1)]

    before = _shown(seeded)
    first, *turns = _with_writer(seeded.url, work)
    silent = {number for number, fault in faults_at(now).items() if fault.kind is FaultKind.SILENT}
    assert first == len(SENSORS) - len(silent)
    assert len(SENSORS) - 3 <= sum(turns) <= len(SENSORS)
    after = _shown(seeded)
    for sensor in SENSORS:
        seen, energy = after[sensor.external_id]
        if sensor.number in silent:
            assert seen == before[sensor.external_id][0]
        else:
            assert now < seen <= now + TURNS * TURN_SECONDS
        if sensor.kind == SOCKET:
            assert (energy or 0) >= (before[sensor.external_id][1] or 0) > 0


def test_a_deleted_sensor_sends_no_readings(seeded: SeededDemo) -> None:
    gone = SENSORS[-1].external_id
    fetch(
        seeded.url,
        "UPDATE assets SET external_id = 'gone' WHERE organization_id = $1 AND external_id = $2",
        seeded.demo.organization_id,
        gone,
    )
    before = _shown(seeded)["gone"]

    async def work(pool: Pool, writer: BatchWriter) -> int:
        return await DeviceSimulator(pool, writer, _WINDOW, seeded.caller).report(clock.now() + 200)

    assert 0 < _with_writer(seeded.url, work) < len(SENSORS)
    assert _shown(seeded)["gone"] == before


def test_a_demo_device_executes_commands(seeded: SeededDemo) -> None:
    ids = "SELECT min(id) FROM assets WHERE organization_id = $1 AND external_id IS NOT NULL"
    [[asset_id]] = fetch(seeded.url, ids, seeded.demo.organization_id)

    async def work(pool: Pool, writer: BatchWriter) -> list[int]:
        await commands.send(
            Context(pool, seeded.caller, clock.now() * 1000).inside(asset_id), NewCommand(name="blink")
        )
        devices = DeviceSimulator(pool, writer, _WINDOW, seeded.caller)
        return [await devices.obey(clock.now()) for _ in range(2)]

    assert _with_writer(seeded.url, work) == [1, 0]
    states = "SELECT status FROM commands WHERE organization_id = $1"
    assert [row[0] for row in fetch(seeded.url, states, seeded.demo.organization_id)] == ["acknowledged"] * 2


def _days(seeded: SeededDemo, table: str, column: str) -> set[int]:
    """On which days something begins, as ordinals."""
    rows = fetch(
        seeded.url,
        f"SELECT DISTINCT {column} FROM {table} WHERE organization_id = $1",
        seeded.demo.organization_id,
    )
    return {local_date(row[0]).toordinal() for row in rows}


def test_every_day_on_which_it_runs_is_planned_a_week_ahead_and_only_once(seeded: SeededDemo) -> None:
    three_weeks_on = day_start(local_date(clock.now() + 21 * DAY)) + 6 * HOUR
    today = local_date(three_weeks_on).toordinal()
    count = "SELECT (SELECT count(*) FROM bookings), (SELECT count(*) FROM visitors)"

    async def go_on(pool: Pool) -> None:
        await Life(pool, seeded.caller).go_on(three_weeks_on)

    with_pool(seeded.url, go_on)
    wanted = set(range(today, today + BOOKED_DAYS_AHEAD + 1))
    assert wanted <= _days(seeded, "visitors", "expected_arrival")
    assert wanted <= _days(seeded, "bookings", "start_time")
    assert today - 5 not in _days(seeded, "bookings", "start_time")
    made = [tuple(row) for row in fetch(seeded.url, count)]
    with_pool(seeded.url, go_on)
    assert [tuple(row) for row in fetch(seeded.url, count)] == made


def test_simulated_visits_leave_manual_registrations_unchanged(seeded: SeededDemo) -> None:
    now = clock.now()
    fetch(
        seeded.url,
        "UPDATE visitors SET email = 'mine@example.com' WHERE organization_id = $1 AND id = "
        "(SELECT id FROM visitors WHERE organization_id = $1 AND status = 'Registered' AND expected_arrival "
        "BETWEEN $2 AND $2 + 43200 ORDER BY expected_arrival LIMIT 1)",
        seeded.demo.organization_id,
        now,
    )
    status = "SELECT status, count(*) FROM visitors WHERE organization_id = $1 AND expected_arrival < $2 GROUP BY 1"

    async def go_on(pool: Pool) -> None:
        life = Life(pool, seeded.caller)
        for hours in range(1, 21):
            await life.go_on(now + hours * HOUR)

    with_pool(seeded.url, go_on)
    states = dict(fetch(seeded.url, status, seeded.demo.organization_id, now + 8 * HOUR))
    assert states.get("Registered", 0) <= 1
    mine = fetch(seeded.url, "SELECT status FROM visitors WHERE email = 'mine@example.com'")
    assert [row[0] for row in mine] == ["Registered"]


def test_it_stops_on_request(seeded: SeededDemo) -> None:
    async def work(pool: Pool, writer: BatchWriter) -> None:
        stop = asyncio.Event()
        playing = asyncio.create_task(play(pool, writer, _WINDOW, seeded.caller, stop))
        stop.set()
        await asyncio.wait_for(playing, limit(60))

    _with_writer(seeded.url, work)
