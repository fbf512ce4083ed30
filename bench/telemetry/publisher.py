"""`python -m bench.telemetry.publisher BROKER_PORT DATABASE_URL WORLD_FILE CONTROL_PORT`: devices that send over MQTT, QoS 1.

Sends as fast as the broker takes it, but never far ahead of what is committed: the broker would keep all of that in memory.
`GET /start` lets it run, `GET /stop` ends it and says how many messages the broker has confirmed.
"""

import asyncio
import struct
import sys
from itertools import cycle
from pathlib import Path
from typing import Any

import asyncpg
import msgspec
import uvloop

from bench.control import serve_control
from bench.telemetry.fleet import DeviceFleet, readings
from bench.telemetry.load import INSERTED

# Sent and not yet confirmed by the broker, at most; packet identifiers have to be enough for it.
_WINDOW = 4000
_BATCH_SIZE = 100
# Enough to keep everybody busy for longer than the database's counters lag behind.
_LEAD = 60_000
_LOOK_SECONDS = 0.2
_PACKET_IDS = 65_535
_CONNECT = b"\x10\x11\x00\x04MQTT\x04\x02\x00\x00\x00\x05bench"
_CONNECT_ANSWER = 4
_CONFIRMATION = 4  # the length of a PUBACK


def _length(number: int) -> bytes:
    """As MQTT writes it: seven bits a byte, the lowest first."""
    low, rest = number & 127, number >> 7
    return bytes([low | 128]) + _length(rest) if rest else bytes([low])


def _messages(fleet: DeviceFleet) -> list[tuple[bytes, bytes]]:
    """What stands before and behind the packet identifier."""
    packets = []
    for sent in readings(fleet):
        topic = f"steward/{fleet.tenant}/{sent.device.id}/telemetry".encode()
        payload = b'{"values":%s}' % sent.json()
        length = _length(2 + len(topic) + 2 + len(payload))
        packets.append((b"\x32" + length + struct.pack(">H", len(topic)) + topic, payload))
    return packets


class Publisher(asyncio.Protocol):
    def __init__(self, fleet: DeviceFleet) -> None:
        self._messages = cycle(_messages(fleet))
        self._received = -_CONNECT_ANSWER
        self._moved = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._sent = 0
        # What the database had taken when we began, and what of ours it has taken since.
        self._others: int | None = None
        self._stored = 0

    @property
    def confirmed(self) -> int:
        return self._received // _CONFIRMATION

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(_CONNECT)

    def data_received(self, data: bytes) -> None:
        # Nothing but confirmations comes after the answer to CONNECT.
        self._received += len(data)
        self._moved.set()

    def connection_lost(self, exc: Exception | None) -> None:
        sys.exit(f"the broker closed the connection: {exc}")

    async def act(self, word: str) -> dict[str, int]:
        if word == "start":
            self._others, self._stored = None, self._sent
            self._task = asyncio.create_task(self._publish())
        elif self._task is not None:
            self._task.cancel()
            while self.confirmed < self._sent:
                await self._wait()
        return {"sent": self._sent}

    def look(self, inserted: int) -> None:
        if self._others is None:
            self._others = inserted - self._stored
        self._stored = inserted - self._others
        self._moved.set()

    async def _publish(self) -> None:
        while True:
            if self._sent - self.confirmed > _WINDOW or self._sent - self._stored > _LEAD:
                await self._wait()
                continue
            parts = []
            for number in range(self._sent, self._sent + _BATCH_SIZE):
                head, payload = next(self._messages)
                parts += [head, struct.pack(">H", number % _PACKET_IDS + 1), payload]
            self._transport.write(b"".join(parts))
            self._sent += _BATCH_SIZE
            await asyncio.sleep(0)

    async def _wait(self) -> None:
        self._moved.clear()
        await self._moved.wait()


async def _watch(url: str, publisher: Publisher) -> None:
    connection = await asyncpg.connect(url)
    while True:
        publisher.look(int(await connection.fetchval(INSERTED)))
        await asyncio.sleep(_LOOK_SECONDS)


async def main(broker_port: int, url: str, fleet_file: Path, port: int) -> None:
    fleet = msgspec.json.decode(fleet_file.read_bytes(), type=DeviceFleet)
    loop = asyncio.get_running_loop()
    _, publisher = await loop.create_connection(lambda: Publisher(fleet), "127.0.0.1", broker_port)
    await asyncio.gather(_watch(url, publisher), serve_control(port, publisher.act))


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), int(sys.argv[4])))
