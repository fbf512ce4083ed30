"""A worker at the broker: subscribed under its own session, and heir of those whose worker doesn't come back."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from steward.ingest.metrics import MQTT_CONNECTED
from steward.ingest.mqtt import packets
from steward.ingest.mqtt.broker import BrokerAddress, BrokerError, ConnectionOptions
from steward.ingest.mqtt.commands import publish_commands
from steward.ingest.mqtt.connection import BrokerConnection, open_connection
from steward.ingest.mqtt.intake import Intake
from steward.ingest.mqtt.properties import SHARED_SUBSCRIPTIONS
from steward.ingest.mqtt.session import SessionLeases, client_id, open_leases
from steward.ingest.mqtt.topics import ANSWERS, SUBSCRIPTION
from steward.kit.db.pool import Database
from steward.kit.runtime.log import log

_RENEW_SECONDS = 5.0
# How long messages taken before a stop may take to be stored.
_GRACE_SECONDS = 10.0
# A session of which nothing has come for this long is empty.
_EMPTY_SECONDS = 3.0


class MqttClient:
    def __init__(
        self,
        broker: BrokerAddress,
        database_url: str,
        db: Database,
        intake: Intake,
        options: ConnectionOptions,
    ) -> None:
        self._broker = broker
        self._database_url = database_url
        self._db = db
        self._intake = intake
        self._options = options
        # From the beginning: a broker that was never reached has to be noticed, too.
        self._connected = MQTT_CONNECTED.labels(str(broker))
        self._connected.set(0)

    async def run_connection(self, stop: asyncio.Event) -> None:
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
