"""Our MQTT client in the process of the test: over a real broker and a real database, before a scripted store."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tests.support.broker import Mosquitto, Publisher
from tests.support.waiting import limit

from steward.ingest.batch_writer import BatchWriter, Outcome
from steward.ingest.model import Reading
from steward.ingest.mqtt.broker import ConnectionOptions
from steward.ingest.mqtt.client import MqttClient
from steward.ingest.mqtt.session import client_id
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Pool, Transaction
from steward.kit.domain.problems import InternalError, NotFound

_WINDOW = TimeWindow(400 * 86_400)
# So long ago that none of a few thousand seconds after it is yet to come.
BEGAN = int(time.time()) - 86_400


class ObedientStore:
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


class Clients:
    """Any number of them over one database, and the store behind them."""

    def __init__(self, url: str, database_url: str) -> None:
        self.url = url
        self.database_url = database_url
        self.store = ObedientStore()
        self._running: list[tuple[asyncio.Task[None], asyncio.Event]] = []
        self._pool = Pool(database_url, 2)
        self.writer = BatchWriter(self._pool, self.store, max_waiting=200)

    def start(self, url: str | None = None, **options: Any) -> Callable[[], Awaitable[None]]:
        """A client; what is given back stops it."""
        stop = asyncio.Event()
        chosen = ConnectionOptions(**{"timeout": limit(30), "max_pause": 0.2, **options})
        client = MqttClient(
            url or self.url, self.database_url, self._pool, self.writer, _WINDOW, options=chosen
        )
        task = asyncio.create_task(client.run(stop))
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


def subscribed(broker: Mosquitto, number: int = 0, times: int = 1) -> Callable[[], bool]:
    return lambda: broker.subscriptions(client_id(number)) >= times


def message(n: int, asset_id: str = "ast_1") -> tuple[str, str]:
    payload = json.dumps({"values": {"n": n}, "timestamp": BEGAN + n})
    return f"steward/org_1/{asset_id}/telemetry", payload


async def publish(publisher: Publisher, *messages: tuple[str, str], qos: int = 1) -> None:
    await asyncio.to_thread(publisher.publish, messages, qos)
