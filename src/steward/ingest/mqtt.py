"""Takes readings from an MQTT broker, as long as the worker runs.

A message is acknowledged when its reading is committed. Where the database is away or the writer is full, nothing is
acknowledged and reading stops: the broker keeps what devices send, and we go on where we were.
"""

import asyncio
import random
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from steward.ingest import mqtt_packets as packets
from steward.ingest.batch_writer import BatchWriter
from steward.ingest.mqtt_intake import Intake
from steward.ingest.mqtt_link import BrokerError, Link, Terms, broker_at, open_link
from steward.ingest.mqtt_packets import Answer
from steward.ingest.mqtt_slots import SlotLostError, Slots, client_id, open_slots
from steward.ingest.rules import TimeWindow
from steward.ingest.topics import SUBSCRIPTION
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import MQTT_CONNECTED

_FIRST_PAUSE = 0.5
_TEND_SECONDS = 5.0
# What has been taken when we are told to stop may take this long to be stored.
_GRACE_SECONDS = 10.0
# A session of which nothing has come for this long is empty.
_EMPTY_SECONDS = 3.0


async def run_mqtt(
    url: str,
    database_url: str,
    writer: BatchWriter,
    window: TimeWindow,
    stop: asyncio.Event,
    *,
    terms: Terms = Terms(),  # noqa: B008 (frozen)
) -> None:
    """Until `stop` is set; whatever happens to the broker or the database meanwhile."""
    client = _Client(url, database_url, Intake(writer, window), terms)
    failures = 0
    while not stop.is_set():
        began = time.monotonic()
        try:
            await client.live(stop)
        except (BrokerError, SlotLostError) as error:
            log.warning("no readings over MQTT at the moment", broker=str(client.broker), error=str(error))
        except Exception as error:  # noqa: BLE001 (whatever it was, taking readings must go on)
            log.error("no readings over MQTT at the moment", broker=str(client.broker), exc_info=error)
        failures = 0 if time.monotonic() - began > terms.longest_pause else failures + 1
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), pause_after(failures, terms.longest_pause))


def pause_after(failures: int, longest: float) -> float:
    """Twice as long each time, and by chance shorter, so that workers don't come back in step."""
    return min(longest, _FIRST_PAUSE * 2.0 ** min(failures, 16)) * random.uniform(0.5, 1)  # noqa: S311


class _Client:
    def __init__(self, url: str, database_url: str, intake: Intake, terms: Terms) -> None:
        self.broker = broker_at(url)
        self._database_url = database_url
        self._intake = intake
        self._terms = terms

    async def live(self, stop: asyncio.Event) -> None:
        """One connection from beginning to end."""
        async with open_slots(self._database_url) as slots:
            slot = await slots.take_lowest()
            await slots.in_use(slot, self._terms.abandoned_after)
            link, hello = await open_link(self.broker, client_id(slot), self._terms)
            try:
                if hello.properties.get(packets.SHARED_SUBSCRIPTIONS) == 0:
                    raise BrokerError("the broker has no shared subscriptions")
                await self._until_over(
                    link,
                    stop,
                    self._subscribed(link, slot),
                    _ping(link, self._keep_alive(hello)),
                    self._tend(slots, slot),
                    self._inherit(slots, stop),
                )
            finally:
                MQTT_CONNECTED.set(0)
                link.close(packets.disconnect())

    async def _subscribed(self, link: Link, slot: int) -> None:
        await self._ask(link, packets.subscribe(1, SUBSCRIPTION), packets.SUBACK)
        MQTT_CONNECTED.set(1)
        log.info("readings over MQTT are taken", broker=str(self.broker), client=client_id(slot))
        await asyncio.wait([link.ended])

    async def _ask(self, link: Link, request: bytes, kind: int) -> None:
        try:
            async with asyncio.timeout(self._terms.patience):
                await link.ask(request, kind)
        except TimeoutError:
            raise BrokerError("the broker doesn't answer") from None

    async def _until_over(self, link: Link, stop: asyncio.Event, *beside: Coroutine[Any, Any, None]) -> None:
        """Until the link has ended, `stop` is set or something beside fails; what is under way may then finish."""
        pump = asyncio.create_task(self._intake.pump(link))
        tasks: list[asyncio.Task[Any]] = [asyncio.create_task(stop.wait()), *map(asyncio.create_task, beside)]
        over: list[asyncio.Future[Any]] = [pump, *tasks, link.ended]
        try:
            await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
            link.finish()
            await asyncio.wait([pump], timeout=_GRACE_SECONDS)
            for task in (pump, *tasks):
                if task.done():
                    task.result()
        finally:
            for task in (pump, *tasks):
                task.cancel()
            await asyncio.gather(pump, *tasks, return_exceptions=True)
        if link.ended.done():
            raise BrokerError(link.ended.result())

    async def _tend(self, slots: Slots, own: int) -> None:
        """Raises as soon as our slot may not be ours any more."""
        while True:
            await slots.in_use(own, self._terms.abandoned_after)
            await asyncio.sleep(_TEND_SECONDS)

    async def _inherit(self, slots: Slots, stop: asyncio.Event) -> None:
        """Takes what waits in sessions whose worker doesn't come back, and ends them."""
        while True:
            for slot in await slots.abandoned(self._terms.abandoned_after):
                if await slots.take(slot):
                    try:
                        await self._empty(slot, stop)
                        await slots.ended(slot)
                    except BrokerError as error:
                        log.warning("an abandoned session could not be emptied", slot=slot, error=str(error))
                    await slots.give_back(slot)
            await asyncio.sleep(_TEND_SECONDS)

    async def _empty(self, slot: int, stop: asyncio.Event) -> None:
        link, hello = await open_link(self.broker, client_id(slot), self._terms)
        farewell = packets.disconnect()
        try:
            if hello.session_present:
                log.info("taking over an abandoned session", client=client_id(slot))
                keep_alive = self._keep_alive(hello)
                await self._until_over(link, stop, self._emptied(link), _ping(link, keep_alive))
            if not stop.is_set():
                farewell = packets.disconnect(session_expiry=0)
        finally:
            link.close(farewell)

    async def _emptied(self, link: Link) -> None:
        await self._ask(link, packets.unsubscribe(1, SUBSCRIPTION), packets.UNSUBACK)
        while not link.idle or time.monotonic() - link.heard < _EMPTY_SECONDS:  # noqa: ASYNC110 (silence is no event)
            await asyncio.sleep(_EMPTY_SECONDS / 10)

    def _keep_alive(self, hello: Answer) -> float:
        """The broker's word counts more than ours."""
        return float(hello.properties.get(packets.SERVER_KEEP_ALIVE) or self._terms.keep_alive)


async def _ping(link: Link, keep_alive: float) -> None:
    while True:
        await asyncio.sleep(keep_alive / 2)
        link.watch(keep_alive)
