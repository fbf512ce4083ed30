"""From messages to readings: storable ones are stored and then acknowledged, unusable ones are dropped and logged."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from steward.assets.commands import queries as commands
from steward.assets.commands.model import DeviceAnswer
from steward.ingest.batch_writer import BatchWriter, Outcome
from steward.ingest.decoding import decode
from steward.ingest.devices.queries import ids_by_external_id
from steward.ingest.metrics import READINGS_DROPPED, DropReason
from steward.ingest.model import MAX_READINGS, Reading, Telemetry
from steward.ingest.mqtt.connection import BrokerConnection
from steward.ingest.mqtt.packets import Publish
from steward.ingest.mqtt.topics import Source, is_answer, is_external, source_of
from steward.ingest.rules import TimeWindow
from steward.kit.db.connection import DATABASE_AWAY
from steward.kit.db.pool import Database
from steward.kit.domain.problems import NotFound, Problem, Unavailable
from steward.kit.runtime import clock
from steward.kit.runtime.log import log

# Batches that are being stored at once: while the database works on one, the next is decoded.
_PUMPS = 3
_FIRST_PAUSE, _MAX_PAUSE_SECONDS = 0.05, 2.0
_TOLD_SECONDS = 60
_MAX_TOLD = 1000
_MAX_TOPIC_LENGTH = 200

T = TypeVar("T")


class _OverError(Exception):
    """The connection ended before anything could be stored."""


class DropLog:
    """Counts every dropped message, and logs each topic once a minute."""

    def __init__(self) -> None:
        self._minute = 0
        self._told: set[str] = set()

    def drop(self, topic: str, reason: DropReason, problem: str, now: int) -> None:
        READINGS_DROPPED.labels("mqtt", reason).inc()
        topic = topic[:_MAX_TOPIC_LENGTH]
        if now // _TOLD_SECONDS != self._minute:
            self._minute = now // _TOLD_SECONDS
            self._told.clear()
        # Bounded, so that made-up topics fill neither the memory nor the log.
        if topic not in self._told and len(self._told) < _MAX_TOLD:
            self._told.add(topic)
            log.warning("a reading was dropped", topic=topic, reason=reason, problem=problem)


class Intake:
    """`db` is asked for the assets that topics call by their externalId."""

    def __init__(self, db: Database, writer: BatchWriter, window: TimeWindow) -> None:
        self._db = db
        self._writer = writer
        self._window = window
        self._drop_log = DropLog()

    async def pump(self, connection: BrokerConnection) -> None:
        """Until the connection gives no more."""
        async with asyncio.TaskGroup() as pumps:
            for _ in range(_PUMPS):
                pumps.create_task(self._pump(connection))

    async def _pump(self, connection: BrokerConnection) -> None:
        while (batch := await connection.take(MAX_READINGS)) is not None:
            with suppress(_OverError):
                connection.done(batch, await self._store(batch.messages, connection))

    async def _store(self, messages: Sequence[Publish], connection: BrokerConnection) -> frozenset[int]:
        """Which messages are to stay with the broker."""
        now = clock.now()
        taken: list[tuple[Publish, Reading]] = []
        for message in messages:
            said = self._read(message, now)
            if isinstance(said, Reading):
                taken.append((message, said))
            elif said is not None:
                source, answer = said
                store = partial(commands.answer, self._db, *source, answer.id, answer.error, now)
                if not await self._until_stored(store, connection):
                    self._drop_log.drop(
                        message.topic, DropReason.COMMAND, "no such command waits for this asset", now
                    )
        if not taken:
            return frozenset()
        write = partial(self._write, [reading for _, reading in taken])
        outcomes = await self._until_stored(write, connection)
        kept_back = set()
        for (message, _), problem in zip(taken, outcomes, strict=True):
            if problem is not None and problem.status >= 500:
                # The fault is ours: the broker hands it to us again with the next connection.
                kept_back.add(message.packet_id)
            elif problem is not None:
                self._drop(message, problem, now)
        return frozenset(kept_back)

    async def _until_stored(self, store: Callable[[], Awaitable[T]], connection: BrokerConnection) -> T:
        """Again and again while the database is away; raises where the connection ended meanwhile."""
        pause = _FIRST_PAUSE
        while True:
            try:
                return await store()
            except (*DATABASE_AWAY, Unavailable):
                # Nothing more is acknowledged, so the broker soon stops sending.
                await asyncio.sleep(pause)
                await self._writer.room()
                pause = min(2 * pause, _MAX_PAUSE_SECONDS)
            if connection.over:
                raise _OverError

    async def _write(self, readings: Sequence[Reading]) -> list[Outcome]:
        """An unknown external identifier stays as it is; it matches no asset then either."""
        named = {(one.tenant, one.asset_id) for one in readings if is_external(one.asset_id)}
        if ids := await ids_by_external_id(self._db, named):
            readings = [
                replace(one, asset_id=found) if (found := ids.get((one.tenant, one.asset_id))) else one
                for one in readings
            ]
        return await self._writer.write(readings)

    def _read(self, message: Publish, now: int) -> Reading | tuple[Source, DeviceAnswer] | None:
        """What a device has measured, or says to a command; None for what is dropped."""
        source = source_of(message.topic)
        if source is None:
            self._drop_log.drop(message.topic, DropReason.TOPIC, "this is no asset's topic", now)
            return None
        try:
            if is_answer(message.topic):
                return source, decode(DeviceAnswer, message.payload)
            telemetry = decode(Telemetry, message.payload)
            at = self._window.moment(telemetry.timestamp, now)
        except Problem as problem:
            self._drop(message, problem, now)
            return None
        return Reading(source.tenant, source.name, at, telemetry.values)

    def _drop(self, message: Publish, problem: Problem, now: int) -> None:
        reason = DropReason.ASSET if isinstance(problem, NotFound) else DropReason.PAYLOAD
        self._drop_log.drop(message.topic, reason, problem.message, now)
