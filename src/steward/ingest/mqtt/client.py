"""A worker at the broker: subscribed under its own session, and heir of those whose worker doesn't come back."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from steward.ingest.metrics import MQTT_CONNECTED
from steward.ingest.mqtt import packets
from steward.ingest.mqtt.broker import BrokerAddress, BrokerError
from steward.ingest.mqtt.commands import CommandPublisher
from steward.ingest.mqtt.connection import BrokerConnection, ConnectionOptions, open_connection
from steward.ingest.mqtt.intake import Intake
from steward.ingest.mqtt.packets import ControlPacket
from steward.ingest.mqtt.session import SessionLeases, client_id, open_leases
from steward.ingest.mqtt.topics import ANSWERS, SUBSCRIPTION
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
        intake: Intake,
        commands: CommandPublisher,
        options: ConnectionOptions,
    ) -> None:
        self._broker = broker
        self._database_url = database_url
        self._intake = intake
        self._commands = commands
        self._options = options
        # From the beginning: a broker that was never reached has to be noticed, too.
        self._connected = MQTT_CONNECTED.labels(str(broker))
        self._connected.set(0)

    async def run_connection(self, stop: asyncio.Event) -> None:
        """One connection from beginning to end."""
        async with open_leases(self._database_url) as leases:
            number = await leases.acquire_lowest()
            await leases.renew(number, self._options.abandoned_after)
            connection, welcome = await open_connection(self._broker, client_id(number), self._options)
            try:
                if welcome.properties.get(packets.SHARED_SUBSCRIPTIONS) == 0:
                    raise BrokerError("the broker has no shared subscriptions")
                await self._until_over(
                    connection,
                    stop,
                    self._subscribed(connection, number),
                    _ping(connection, self._keep_alive(welcome)),
                    self._renew(leases, number),
                    self._take_over(leases, stop),
                    self._commands.run(connection, welcome.properties.get(packets.RECEIVE_MAXIMUM)),
                )
            finally:
                self._connected.set(0)
                connection.close(packets.disconnect())

    async def _subscribed(self, connection: BrokerConnection, number: int) -> None:
        # An account that may not subscribe to command answers still takes readings.
        asked = packets.subscribe(1, SUBSCRIPTION, ANSWERS)
        answer = await self._ask(connection, asked, packets.SUBACK, needed=1)
        self._connected.set(1)
        if any(reason >= 0x80 for reason in answer.reasons[1:]):
            log.warning("broker rejected the subscription to command replies", topic=ANSWERS)
        log.info("readings over MQTT are taken", broker=str(self._broker), client=client_id(number))
        await asyncio.wait([connection.ended])

    async def _ask(
        self, connection: BrokerConnection, request: bytes, kind: int, *, needed: int | None = None
    ) -> ControlPacket:
        try:
            async with asyncio.timeout(self._options.timeout):
                return await connection.ask(request, kind, needed=needed)
        except TimeoutError:
            raise BrokerError("the broker doesn't answer") from None

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
        connection, welcome = await open_connection(self._broker, client_id(number), self._options)
        farewell = packets.disconnect()
        try:
            if welcome.session_present:
                log.info("taking over an abandoned session", client=client_id(number))
                keep_alive = self._keep_alive(welcome)
                await self._until_over(
                    connection, stop, self._drained(connection), _ping(connection, keep_alive)
                )
            if not stop.is_set():
                farewell = packets.disconnect(session_expiry=0)
        finally:
            connection.close(farewell)

    async def _drained(self, connection: BrokerConnection) -> None:
        await self._ask(connection, packets.unsubscribe(1, SUBSCRIPTION, ANSWERS), packets.UNSUBACK)
        while not connection.idle or time.monotonic() - connection.last_received < _EMPTY_SECONDS:  # noqa: ASYNC110 (silence is no event)
            await asyncio.sleep(_EMPTY_SECONDS / 10)

    def _keep_alive(self, welcome: ControlPacket) -> float:
        """The broker's word counts more than ours."""
        return float(welcome.properties.get(packets.SERVER_KEEP_ALIVE) or self._options.keep_alive)


async def _ping(connection: BrokerConnection, keep_alive: float) -> None:
    while True:
        await asyncio.sleep(keep_alive / 2)
        connection.watch(keep_alive)
