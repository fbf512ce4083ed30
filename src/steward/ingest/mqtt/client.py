"""A worker at the broker: subscribed under its own session, and heir of those whose worker doesn't come back.

A message is acknowledged when its reading is committed. Where the database is away or the writer is full, nothing is
acknowledged and reading stops: the broker keeps what devices send, and delivers it when we read again.
"""

import asyncio
import random
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from steward.ingest.batch_writer import BatchWriter
from steward.ingest.metrics import MQTT_CONNECTED
from steward.ingest.mqtt import packets
from steward.ingest.mqtt.broker import BrokerError, ConnectionOptions, broker_at
from steward.ingest.mqtt.commands import publish_commands
from steward.ingest.mqtt.connection import BrokerConnection, open_connection
from steward.ingest.mqtt.intake import Intake
from steward.ingest.mqtt.properties import SHARED_SUBSCRIPTIONS
from steward.ingest.mqtt.session import SessionLeases, SessionLostError, client_id, open_leases
from steward.ingest.mqtt.topics import ANSWERS, SUBSCRIPTION
from steward.ingest.rules import TimeWindow
from steward.kit.db.pool import Database
from steward.kit.runtime.log import log

_FIRST_PAUSE = 0.5
_RENEW_SECONDS = 5.0
# How long messages taken before a stop may take to be stored.
_GRACE_SECONDS = 10.0
# A session of which nothing has come for this long is empty.
_EMPTY_SECONDS = 3.0


class MqttClient:
    def __init__(
        self,
        url: str,
        database_url: str,
        db: Database,
        writer: BatchWriter,
        window: TimeWindow,
        *,
        options: ConnectionOptions = ConnectionOptions(),  # noqa: B008 (frozen)
    ) -> None:
        self._broker = broker_at(url)
        self._database_url = database_url
        self._db = db
        self._intake = Intake(db, writer, window)
        self._options = options
        # From the beginning: a broker that was never reached has to be noticed, too.
        self._connected = MQTT_CONNECTED.labels(str(self._broker))
        self._connected.set(0)

    async def run(self, stop: asyncio.Event) -> None:
        """Until `stop` is set; whatever happens to the broker or the database meanwhile."""
        failures = 0
        while not stop.is_set():
            began = time.monotonic()
            broker = str(self._broker)
            try:
                await self._run_connection(stop)
            except (BrokerError, SessionLostError) as error:
                log.warning("no readings over MQTT at the moment", broker=broker, error=str(error))
            except Exception as error:  # noqa: BLE001 (whatever it was, taking readings must go on)
                log.error("no readings over MQTT at the moment", broker=broker, exc_info=error)
            failures = 0 if time.monotonic() - began > self._options.max_pause else failures + 1
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_after(failures, self._options.max_pause)):
                    await stop.wait()

    async def _run_connection(self, stop: asyncio.Event) -> None:
        """One connection from beginning to end."""
        async with open_leases(self._database_url) as leases:
            number = await leases.acquire_lowest()
            await leases.renew(number, self._options.abandoned_after)
            connection = await open_connection(self._broker, client_id(number), self._options)
            try:
                if connection.welcome.properties.get(SHARED_SUBSCRIPTIONS) == 0:
                    raise BrokerError("the broker has no shared subscriptions")
                await self._until_over(
                    connection,
                    stop,
                    self._subscribed(connection, number),
                    connection.ping(),
                    self._renew(leases, number),
                    self._take_over(leases, stop),
                    publish_commands(self._db, connection),
                )
            finally:
                self._connected.set(0)
                connection.close(packets.disconnect())

    async def _subscribed(self, connection: BrokerConnection, number: int) -> None:
        # An account that may not subscribe to command answers still takes readings.
        asked = packets.subscribe(1, SUBSCRIPTION, ANSWERS)
        answer = await connection.ask(asked, packets.SUBACK, 1, needed=1)
        self._connected.set(1)
        if any(reason >= 0x80 for reason in answer.reasons[1:]):
            log.warning("broker rejected the subscription to command replies", topic=ANSWERS)
        log.info("readings over MQTT are taken", broker=str(self._broker), client=client_id(number))
        await asyncio.wait([connection.ended])

    async def _until_over(
        self, connection: BrokerConnection, stop: asyncio.Event, *beside: Coroutine[Any, Any, None]
    ) -> None:
        """Until the connection has ended, `stop` is set or something beside fails; what is under way may then finish."""
        pump = asyncio.create_task(self._intake.pump(connection))
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(stop.wait()), *map(asyncio.create_task, beside)]
        over: list[asyncio.Future[Any]] = [pump, *tasks, connection.ended]
        try:
            await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
            connection.finish()
            await asyncio.wait([pump], timeout=_GRACE_SECONDS)
            for task in (pump, *tasks):
                if task.done():
                    task.result()
        finally:
            for task in (pump, *tasks):
                task.cancel()
            await asyncio.gather(pump, *tasks, return_exceptions=True)
        if connection.ended.done():
            raise BrokerError(connection.ended.result())

    async def _renew(self, leases: SessionLeases, number: int) -> None:
        """Raises as soon as our session may not be ours any more."""
        while True:
            await leases.renew(number, self._options.abandoned_after)
            await asyncio.sleep(_RENEW_SECONDS)

    async def _take_over(self, leases: SessionLeases, stop: asyncio.Event) -> None:
        """Takes the messages of sessions whose worker doesn't come back, and ends them."""
        while True:
            for number in await leases.abandoned(self._options.abandoned_after):
                if await leases.acquire(number):
                    try:
                        await self._drain(number, stop)
                        await leases.forget(number)
                    except BrokerError as error:
                        log.warning(
                            "an abandoned session could not be emptied", slot=number, error=str(error)
                        )
                    await leases.release(number)
            await asyncio.sleep(_RENEW_SECONDS)

    async def _drain(self, number: int, stop: asyncio.Event) -> None:
        connection = await open_connection(self._broker, client_id(number), self._options)
        farewell = packets.disconnect()
        try:
            if connection.welcome.session_present:
                log.info("taking over an abandoned session", client=client_id(number))
                await self._until_over(connection, stop, _drained(connection), connection.ping())
            if not stop.is_set():
                farewell = packets.disconnect(session_expiry=0)
        finally:
            connection.close(farewell)


async def _drained(connection: BrokerConnection) -> None:
    await connection.ask(packets.unsubscribe(1, SUBSCRIPTION, ANSWERS), packets.UNSUBACK, 1)
    while not connection.idle or time.monotonic() - connection.last_received < _EMPTY_SECONDS:  # noqa: ASYNC110 (silence is no event)
        await asyncio.sleep(_EMPTY_SECONDS / 10)


def pause_after(failures: int, longest: float) -> float:
    """Twice as long each time, and by chance shorter, so that workers don't come back in step."""
    return min(longest, _FIRST_PAUSE * 2.0 ** min(failures, 16)) * random.uniform(0.5, 1)  # noqa: S311
