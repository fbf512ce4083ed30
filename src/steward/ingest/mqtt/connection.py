"""One connection to a broker. Messages wait here in order, and are acknowledged in that order once they are handled."""

import asyncio
import ssl
import time
from collections import deque
from itertools import cycle
from typing import Any, cast

import msgspec

from steward.ingest.mqtt import packets
from steward.ingest.mqtt.broker import BrokerAddress, BrokerError, ConnectionOptions, explain
from steward.ingest.mqtt.packets import ControlPacket, Publish
from steward.ingest.mqtt.properties import SERVER_KEEP_ALIVE, MalformedError

# Packet identifiers of messages that we publish; lower ones are for other requests.
_PUBLISHED_NUMBERS = range(100, 60_000)
# A message takes this much memory beside its payload.
_OVERHEAD_BYTES = 300


class MessageBatch(msgspec.Struct, eq=False):
    """Messages that were taken together."""

    messages: list[Publish]
    weight: int
    acknowledgements: bytes | None = None


class BrokerConnection(asyncio.Protocol):
    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options
        self._transport: asyncio.Transport | None = None
        self._rest = b""
        self._inbox: deque[Publish] = deque()
        self._taken: deque[MessageBatch] = deque()
        self._weight = 0
        self._reading = True
        self._finishing = False
        self._changed = asyncio.Event()
        # What was asked and isn't answered, by the kind of the answer and its packet identifier.
        self._asked: dict[tuple[int, int], asyncio.Future[ControlPacket]] = {}
        self._numbers = cycle(_PUBLISHED_NUMBERS)
        self.last_received = time.monotonic()
        # What the broker said on connecting.
        self.welcome = ControlPacket(packets.CONNACK)
        # Done with the cause when the connection has ended.
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self.last_received = time.monotonic()
        waiting = self._rest + data if self._rest else data
        try:
            found, used = packets.unpack(waiting, self._options.max_packet_bytes)
        except MalformedError as error:
            self.abort(f"the broker sent {error}")
            return
        self._rest = waiting[used:]
        for packet in found:
            if isinstance(packet, Publish):
                self._inbox.append(packet)
                self._weight += len(packet.payload) + _OVERHEAD_BYTES
            else:
                self._replied(packet)
        if self._inbox:
            self._changed.set()
        self._read_or_wait()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(f"the connection was lost: {error}" if error else "the broker closed the connection")

    def abort(self, cause: str) -> None:
        self._end(cause)
        if self._transport is not None:
            self._transport.abort()

    async def ask(
        self, request: bytes, kind: int, number: int = 0, *, needed: int | None = None
    ) -> ControlPacket:
        """Sends `request` and waits for its answer; of several things asked, so many must not be refused."""
        try:
            async with asyncio.timeout(self._options.timeout):
                found = await self._answer(request, kind, number)
        except TimeoutError:
            raise BrokerError("the broker doesn't answer") from None
        refused = [reason for reason in found.reasons[:needed] if reason >= 0x80]
        if refused:
            raise BrokerError(f"the broker refuses: {explain(refused[0])}")
        return found

    async def publish(self, topic: str, payload: bytes, *, expiry: int) -> int:
        """The broker's reason code, once it has taken the message or refused it."""
        number = next(number for number in self._numbers if (packets.PUBACK, number) not in self._asked)
        message = packets.publish(number, topic, payload, expiry=expiry)
        return (await self._answer(message, packets.PUBACK, number)).reasons[0]

    async def _answer(self, request: bytes, kind: int, number: int) -> ControlPacket:
        answer: asyncio.Future[ControlPacket] = asyncio.get_running_loop().create_future()
        self._asked[kind, number] = answer
        try:
            self.send(request)
            either: list[asyncio.Future[Any]] = [answer, self.ended]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            del self._asked[kind, number]
        if not answer.done():
            raise BrokerError(self.ended.result())
        return answer.result()

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self.ended.done():
            self._transport.write(data)

    async def take(self, most: int) -> MessageBatch | None:
        """The next messages, as soon as there are any; None once the connection is over."""
        while not self._inbox and not self.over:
            self._changed.clear()
            await self._changed.wait()
        if self.over:
            self._changed.set()  # wake other waiters
            return None
        messages = [self._inbox.popleft() for _ in range(min(most, len(self._inbox)))]
        weight = sum(len(message.payload) + _OVERHEAD_BYTES for message in messages)
        batch = MessageBatch(messages, weight)
        self._taken.append(batch)
        return batch

    def done(self, batch: MessageBatch, kept_back: frozenset[int]) -> None:
        """Acknowledges the messages, all but those `kept_back`, after those that came before them."""
        batch.acknowledgements = b"".join(
            packets.puback(message.packet_id)
            for message in batch.messages
            if message.packet_id and message.packet_id not in kept_back
        )
        ready = bytearray()
        while self._taken and self._taken[0].acknowledgements is not None:
            finished = self._taken.popleft()
            self._weight -= finished.weight
            ready += finished.acknowledgements or b""
        if ready:
            self.send(bytes(ready))
        self._read_or_wait()

    @property
    def idle(self) -> bool:
        return not self._inbox and not self._taken

    def finish(self) -> None:
        """Takes no more messages; those taken may still be acknowledged."""
        self._finishing = True
        self._changed.set()

    def close(self, farewell: bytes) -> None:
        self.send(farewell)
        self._end("closed by us")
        if self._transport is not None:
            self._transport.close()

    async def ping(self) -> None:
        """Until cancelled; ends a dead connection. The broker's word on how long it may be silent counts more than ours."""
        period = float(self.welcome.properties.get(SERVER_KEEP_ALIVE) or self._options.keep_alive)
        while True:
            await asyncio.sleep(period / 2)
            if self._reading and time.monotonic() - self.last_received > period * 1.5:
                self.abort("the broker has fallen silent")
            self.send(packets.pingreq())

    @property
    def over(self) -> bool:
        return self._finishing or self.ended.done()

    def _end(self, cause: str) -> None:
        if not self.ended.done():
            self.ended.set_result(cause)
        self._changed.set()

    def _replied(self, answer: ControlPacket) -> None:
        if answer.kind == packets.DISCONNECT:
            self.abort(f"the broker said goodbye: {explain(answer.reasons[0])}")
            return
        asked = self._asked.get((answer.kind, answer.packet_id))
        if asked is not None and not asked.done():
            asked.set_result(answer)

    def _read_or_wait(self) -> None:
        """Pauses reading while too much waits; unread messages stay with the broker or the network."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self._reading and self._weight > self._options.max_bytes:
            self._reading = False
            transport.pause_reading()
        elif not self._reading and self._weight < self._options.max_bytes // 2:
            self._reading = True
            self.last_received = time.monotonic()
            transport.resume_reading()


async def open_connection(
    broker: BrokerAddress, client_id: str, options: ConnectionOptions
) -> BrokerConnection:
    """Connects and resumes the session of this client id."""
    hello = packets.connect(client_id, broker, options)
    connection = BrokerConnection(options)
    try:
        async with asyncio.timeout(options.timeout):
            await asyncio.get_running_loop().create_connection(
                lambda: connection,
                broker.host,
                broker.port,
                ssl=ssl.create_default_context() if broker.tls else None,
            )
            connection.welcome = await connection.ask(hello, packets.CONNACK)
            return connection
    except TimeoutError:
        connection.abort("given up")
        raise BrokerError("the broker doesn't answer") from None
    except OSError as error:
        raise BrokerError(f"the broker can't be reached: {error}") from None
    except BaseException:
        connection.abort("given up")
        raise
