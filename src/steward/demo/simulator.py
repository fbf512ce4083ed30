"""Plays the demo's devices and people: readings through the same intake as everybody's, and what a day brings.

It keeps nothing in memory that a restart would lose: faults and patterns follow from the clock, and a meter goes on from
what the database knows of it.
"""

import asyncio
from collections.abc import Awaitable, Callable

from steward.assets.commands.queries import answer
from steward.demo import queries
from steward.demo.campus import SENSORS, Sensor
from steward.demo.faults import faults_at
from steward.demo.life import Life
from steward.demo.patterns import report, surroundings
from steward.ingest.actions import take_batch
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.model import TelemetryItem
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Database
from steward.kit.jobs.runner import Job, run_jobs
from steward.kit.jobs.singleton_job import run_as_singleton
from steward.kit.records.context import Context
from steward.kit.runtime import clock
from steward.kit.security.caller import Caller

# Every ten seconds a sixth of the sensors reports, so that each does so once a minute.
TURN_SECONDS, TURNS = 10, 6
_LIFE_SECONDS = 60
_GRACE_SECONDS = 2.0


class DeviceSimulator:
    def __init__(self, db: Database, writer: BatchWriter, window: TimeWindow, who: Caller) -> None:
        self._db, self._writer, self._window, self._who = db, writer, window, who
        self._began = False

    async def report(self, now: int) -> int:
        """Those whose turn it is, and all of them the first time; returns how many have reported."""
        turn = now // TURN_SECONDS % TURNS
        reporting = [one for one in SENSORS if not self._began or one.number % TURNS == turn]
        items = await self._items(reporting, now)
        if not items:
            return 0
        result = await take_batch(self._writer, self._window, Context(self._db, self._who, now * 1000), items)
        self._began = True
        return result.accepted

    async def obey(self, now: int) -> int:
        """Devices execute their commands, without a broker in between; returns how many."""
        tenant = self._who.tenant
        told = await queries.commands(self._db, tenant)
        for command_id, asset_id in told:
            await answer(self._db, tenant, asset_id, command_id, None, now)
        return len(told)

    async def _items(self, reporting: list[Sensor], now: int) -> list[TelemetryItem]:
        known = await queries.sensors(self._db, self._who.tenant, [one.external_id for one in reporting])
        around, faults = surroundings(now), faults_at(now)
        items = []
        for sensor in reporting:
            row = known.get(sensor.external_id)
            # One that somebody deleted has nothing more to say.
            if row is None or (row["last_seen"] or 0) >= now:
                continue
            since = row["last_seen"] or now
            values = report(sensor, around, faults.get(sensor.number), row["last_telemetry"], since)
            if values is not None:
                items.append(TelemetryItem(values=values, asset_id=row["id"], timestamp=now))
        return items


async def play(
    db: Database, writer: BatchWriter, window: TimeWindow, who: Caller, stop: asyncio.Event
) -> None:
    """Until `stop` is set. Of several workers one at a time plays."""
    devices = DeviceSimulator(db, writer, window, who)
    life = Life(db, who)

    async def once(what: str, seconds: int, work: Callable[[int], Awaitable[object]]) -> None:
        now = clock.now()
        name = f"demo {what} of {who.tenant}"
        await run_as_singleton(db, name, seconds - 1, now, lambda: work(now))

    async def turn() -> None:
        await once("devices", TURN_SECONDS, devices.report)
        await devices.obey(clock.now())

    jobs = [
        Job("simulate_devices", TURN_SECONDS, turn),
        Job("simulate_people", _LIFE_SECONDS, lambda: once("people", _LIFE_SECONDS, life.go_on)),
    ]
    await run_jobs(jobs, stop, grace_seconds=_GRACE_SECONDS)
