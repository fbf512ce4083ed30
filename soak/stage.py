"""A deployment under fire: a database, `steward up`, a broker, receivers, writers, and the plan of what goes wrong."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Set
from contextlib import suppress
from pathlib import Path

import asyncpg
import msgspec
from tests.support.broker import MOSQUITTO

from soak.broker import SoakBroker
from soak.calls import Caller, Pace, Tally
from soak.databases import Database, OwnDatabase, Volume
from soak.deployment import Up
from soak.feed import FeedReader
from soak.ledger import Ledger
from soak.readings import Publisher, Senders
from soak.receivers import Receivers
from soak.setup import SoakSetup, make_setup
from soak.spans import Span
from soak.stored import read_readings
from soak.watch import Watch
from soak.writers import Writers

_START_SECONDS = 90
_BACK_SECONDS = 180


class Happened(msgspec.Struct, frozen=True):
    kind: str
    span: Span
    # From the end of the fault until the service was ready again.
    recovery_seconds: float


class Stage:
    def __init__(
        self, name: str, folder: Path, *, own_database: bool, volume: Volume | None, seed: str
    ) -> None:
        self.name = name
        self.folder = folder
        self.volume = volume
        # Apart, because writers draw as often as they get to it.
        self.chance = random.Random(f"{seed} faults")
        self._pace = Pace(random.Random(f"{seed} writers"))
        data_dir = volume.path / "data" if volume else folder / "data"
        self.database = OwnDatabase(folder / "database") if own_database else Database(data_dir)
        self.broker = SoakBroker(folder) if MOSQUITTO else None
        mqtt = {"STEWARD_MQTT_URL": self.broker.url} if self.broker else {}
        self.up = Up(folder, data_dir, {**self.database.settings(), **mqtt})
        self.watch = Watch(self.up)
        self.tally = Tally()
        self.ledger = Ledger()
        self.receivers = Receivers()
        self.publisher: Publisher | None = None
        self.happened: list[Happened] = []
        self.counts: Counter[str] = Counter()
        self.failed_faults: list[str] = []
        self.slow_clients = 0
        # How quick this machine is, today: the first start is disturbed by nothing.
        self.start_seconds = 0.0
        self.setup: SoakSetup
        self.caller: Caller
        self.feed: FeedReader
        self._callers: list[Caller] = []
        self._background: list[asyncio.Task[None]] = []
        self._risk: asyncio.Task[None] | None = None
        self._writing: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        if self.broker:
            self.broker.start()
        await self.receivers.start()
        began = time.monotonic()
        self.up.start()
        if not await self.up.wait_until_ready(_START_SECONDS):
            raise RuntimeError(f"{self.name}: not ready after {_START_SECONDS} s; see {self.up.log}")
        self.start_seconds = time.monotonic() - began
        self.setup = await asyncio.to_thread(
            make_setup, self.up.base_url, self.database.url(), self.receivers
        )
        self.receivers.secret = self.setup.secret
        self.caller = self._new_caller(self.setup.key, "127.0.0.2")
        self.opened = time.monotonic()
        self._background = [
            asyncio.create_task(self.watch.run()),
            asyncio.create_task(self.up.keep_running()),
        ]

    def _new_caller(self, key: str, address: str) -> Caller:
        caller = Caller(self.up.base_url, key, self.tally, address)
        self._callers.append(caller)
        return caller

    def begin_writing(self) -> None:
        noisy = self._new_caller(self.setup.noisy_key, "127.0.0.4")
        writers = Writers(self.setup, self.caller, noisy, self.ledger, self._pace)
        senders = Senders(self.setup, self.caller, self.ledger, self._pace)
        self.feed = FeedReader(self.setup, self.caller)
        work = [writers.run(), senders.run(), self.feed.run(self._pace.over)]
        if self.broker:
            self.publisher = Publisher(self.setup, self.broker.port, self.ledger)
            work.append(self.publisher.run(self._pace.over))
        self._writing = [asyncio.create_task(one) for one in work]

    async def wait_for_published(self, seconds: float) -> None:
        """Until everything that the broker has confirmed is in the history, or so long."""
        assert self.publisher is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.publisher.waiting or not await self._acknowledged_is_stored():
                    await asyncio.sleep(0.5)

    async def _acknowledged_is_stored(self) -> bool:
        """Not known while the fault beside this one keeps the database away, or ends this connection."""
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return self.ledger.readings["MQTT"].acknowledged <= await self._stored()
        return False

    async def empty_broker(self, seconds: float) -> None:
        """What it holds after that time is not counted any more, nor what it confirms from now on."""
        assert self.publisher is not None
        if self._risk is not None:
            self._risk.cancel()
        self.publisher.paused = True
        await self.wait_for_published(seconds)
        with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self.publisher.put_at_risk(await self._stored())
        self.publisher.paused = False

    def end_risk_later(self, since: int) -> None:
        """Once a worker has subscribed, by the broker's log from a place on."""

        async def wait() -> None:
            assert self.publisher is not None
            assert self.broker is not None
            await self.broker.wait_for_steward(since, _BACK_SECONDS)
            await asyncio.sleep(1)
            self.publisher.end_risk()

        self._risk = asyncio.create_task(wait())
        self._background.append(self._risk)

    async def _stored(self) -> set[tuple[str, int]]:
        """Of all readings, past the service."""
        url = await self.database.reachable_url()
        return set(await read_readings(url, self.setup.organization, self.setup.first_second))

    async def still_with_the_broker(self, arrived: Set[tuple[str, int]]) -> set[tuple[str, int]]:
        """Of what has not arrived. Where there is such, this ends the service, whose sessions are looked into."""
        missing = self.ledger.readings["MQTT"].acknowledged - arrived
        if not missing or self.broker is None:
            return set()
        await self.up.terminate()
        return missing & await asyncio.to_thread(self.broker.held)

    async def stop_writing(self, seconds: float) -> None:
        """Pending requests still get their answers, now without faults."""
        self._pace.over.set()
        _done, late = await asyncio.wait(self._writing, timeout=seconds)
        for task in late:
            task.cancel()
        for task in self._writing:
            with suppress(asyncio.CancelledError):
                await task

    async def end_tasks(self) -> None:
        tasks = [*self._background, *self._writing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        await self.end_tasks()
        for caller in self._callers:
            await caller.close()
        if self.publisher:
            await asyncio.to_thread(self.publisher.close)
        await self.up.terminate()
        await asyncio.to_thread(self.database.end)
        if self.broker:
            self.broker.kill()
        await self.receivers.stop()
