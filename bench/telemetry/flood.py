"""`python -m bench.telemetry.flood PORT WORLD_FILE CONTROL_PORT`: senders that don't care how busy the service is.

Batches go out at a fixed pace over many connections; who is told to come back later tries again at once with the next
batch. `GET /SECONDS,BATCHES_PER_SECOND,FIRST_TIMESTAMP` on its control port runs it. No device has two readings of the same
second, so that each can be found in the history.
"""

import asyncio
import re
import sys
import time
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from bench.scenario import Request
from bench.telemetry.control import serve_control
from bench.telemetry.fleet import DeviceFleet, readings
from bench.telemetry.load import BATCH

CONNECTIONS = 512
# As long as a timestamp, so that the length of the request stays what it is.
_TIMESTAMP = b"1111111111"
_ALL_TAKEN = b'"rejected":0'
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
_END = b"\r\n\r\n"


class Outcome(msgspec.Struct):
    """`acknowledged` numbers the batches of which every reading was taken."""

    offered: int = 0
    seconds: float = 0
    answers: dict[str, int] = {}
    acknowledged: list[int] = []


def batches(fleet: DeviceFleet) -> list[bytes]:
    path = f"/organizations/{fleet.tenant}/telemetry"
    sent = readings(fleet)
    requests = []
    while batch := list(islice(sent, BATCH)):
        items = [
            b'{"assetId":"%s","timestamp":%s,"values":%s}' % (one.device.id.encode(), _TIMESTAMP, one.json())
            for one in batch
        ]
        body = b'{"readings":[%s]}' % b",".join(items)
        requests.append(Request("POST", path, fleet.device_key, body).raw())
    return requests


def batches_of_a_pass(fleet: DeviceFleet) -> int:
    return len(fleet.devices) // BATCH


class _Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self._buffer = b""
        self._length: int | None = None
        self._answer: asyncio.Future[bytes] | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def post(self, request: bytes) -> "asyncio.Future[bytes]":
        self._answer = asyncio.get_running_loop().create_future()
        self._buffer, self._length = b"", None
        self._transport.write(request)
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._length is None:
            head, end, _ = self._buffer.partition(_END)
            if not end:
                return
            found = _LENGTH.search(head)
            self._length = len(head) + len(_END) + (int(found[1]) if found else 0)
        if len(self._buffer) >= self._length and self._answer is not None and not self._answer.done():
            self._answer.set_result(self._buffer)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError())


class Flood:
    def __init__(self, port: int, fleet: DeviceFleet) -> None:
        self._port = port
        self._batches = batches(fleet)
        self._pass = batches_of_a_pass(fleet)

    async def run(self, word: str) -> Outcome:
        seconds, pace, first = (float(part) for part in word.split(","))
        self._outcome, self._answers = Outcome(), Counter[str]()
        self._pace, self._first = pace, int(first)
        self._begin = time.monotonic()
        self._until = self._begin + seconds
        await asyncio.gather(*(self._send() for _ in range(CONNECTIONS)))
        self._outcome.seconds = time.monotonic() - self._begin
        self._outcome.answers = dict(self._answers)
        return self._outcome

    async def _send(self) -> None:
        loop = asyncio.get_running_loop()
        while time.monotonic() < self._until:
            try:
                _, connection = await loop.create_connection(_Connection, "127.0.0.1", self._port)
                while time.monotonic() < self._until:
                    await self._send_one(connection)
                connection._transport.close()  # noqa: SLF001
            except OSError:
                self._answers["broken"] += 1
                await asyncio.sleep(0.1)

    async def _send_one(self, connection: _Connection) -> None:
        number = self._outcome.offered
        self._outcome.offered += 1
        await asyncio.sleep(self._begin + number / self._pace - time.monotonic())
        at = b"%d" % (self._first + number // self._pass)
        answer = await connection.post(self._batches[number % len(self._batches)].replace(_TIMESTAMP, at))
        status = answer[9:12].decode()
        self._answers[status] += 1
        if status == "200":
            if _ALL_TAKEN in answer:
                self._outcome.acknowledged.append(number)
            else:
                self._answers["200 with refused readings"] += 1


async def main(port: int, fleet_file: Path, control_port: int) -> None:
    fleet = msgspec.json.decode(fleet_file.read_bytes(), type=DeviceFleet)
    flood = Flood(port, fleet)
    await serve_control(control_port, flood.run)


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
