"""MQTT brokers to test with: Mosquitto where it is installed, and a small one of ours that can be looked into and misbehave.

The small one knows just enough of MQTT 5: quality of service 0 and 1, sessions, shared subscriptions, Receive Maximum. It
shares no code with the client that it tests.
"""

import asyncio
import contextlib
import itertools
import shutil
import ssl
import struct
import subprocess
import threading
import uuid
from collections import deque
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from tests.support.processes import free_port, wait_for

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")

Message = tuple[str, str]


class Publisher:
    """A device, or many of them, as another implementation of MQTT sees it."""

    def __init__(self, port: int, username: str | None = None, password: str | None = None) -> None:
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2, f"device-{uuid.uuid4()}", protocol=MQTTProtocolVersion.MQTTv5
        )
        self._client.max_queued_messages_set(0)
        self._client.max_inflight_messages_set(1000)
        if username is not None:
            self._client.username_pw_set(username, password)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        wait_for("a connection to the broker", self._client.is_connected)

    def publish(self, messages: Iterable[Message], qos: int = 1) -> None:
        """Returns when the broker has taken all of them."""
        sent = [self._client.publish(topic, payload, qos=qos) for topic, payload in messages]
        wait_for("taking of the messages", lambda: all(each.is_published() for each in sent))

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


class Mosquitto:
    """A process of its own. Killed, it comes back without what it had not written down."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self._configuration = directory / "mosquitto.conf"
        self._log = directory / "mosquitto.log"
        self._configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {directory}/\n"
            "max_queued_messages 0\nmax_inflight_messages 0\n",
            encoding="utf-8",
        )
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        assert MOSQUITTO is not None
        with self._log.open("ab") as sink:
            self._process = subprocess.Popen(
                [MOSQUITTO, "-c", str(self._configuration)], stdout=sink, stderr=sink
            )
        wait_for("a listening broker", self._listens)

    def _listens(self) -> bool:
        assert self._process.poll() is None, self._log.read_text(encoding="utf-8")
        with contextlib.suppress(OSError):
            Publisher(self.port).close()
            return True
        return False

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(20)


class Session:
    """What a broker keeps of a client, connected or not."""

    def __init__(self, encoding: str = "utf-8") -> None:
        self.filters: set[str] = set()
        self.queue: deque[Message] = deque()
        # By packet number: sent, and not acknowledged yet.
        self.unacknowledged: dict[int, Message] = {}
        self.receive_maximum = 65_535
        self.expiry = 0
        self.connection: _Connection | None = None
        self.numbers = itertools.cycle(range(1, 65_536))
        self.encoding = encoding

    @property
    def held(self) -> int:
        return len(self.queue) + len(self.unacknowledged)

    def send(self) -> None:
        while self.connection and self.queue and len(self.unacknowledged) < self.receive_maximum:
            number = next(number for number in self.numbers if number not in self.unacknowledged)
            self.unacknowledged[number] = self.queue.popleft()
            self._publish(number, again=False)

    def send_again(self) -> None:
        for number in self.unacknowledged:
            self._publish(number, again=True)

    def _publish(self, number: int, *, again: bool) -> None:
        topic, payload = self.unacknowledged[number]
        body = _text(topic) + struct.pack(">HB", number, 0) + payload.encode(self.encoding)
        assert self.connection is not None
        self.connection.write(0x3A if again else 0x32, body)


class SmallBroker:
    """Runs in a thread; what it holds may be looked at from any other."""

    def __init__(self, tls: ssl.SSLContext | None = None, payload_encoding: str = "utf-8") -> None:
        self.port = free_port()
        # As latin-1, every text of a message stands for the bytes of the same numbers.
        self.payload_encoding = payload_encoding
        self._tls = tls
        self.sessions: dict[str, Session] = {}
        self.greetings: list[tuple[str, str | None, str | None]] = []
        self.pings = 0
        self.connections: set[_Connection] = set()
        # Things to get wrong.
        self.answers_connect = True
        self.answers_pings = True
        self.refuses_with = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.start()

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._server = self._run(self._listen())

    def kill(self) -> None:
        """Goes away without a word; sessions stay, as they would on disk."""
        self._loop.call_soon_threadsafe(self._server.close)
        self._each_connection(lambda connection: connection.transport.abort())

    def stop(self) -> None:
        self.kill()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def say(self, data: bytes) -> None:
        """Sends bytes to everybody, whatever they mean."""
        self._each_connection(lambda connection: connection.transport.write(data))

    @property
    def held(self) -> int:
        """Messages that nobody has acknowledged yet."""
        return sum(session.held for session in self.sessions.values())

    def session(self, client_id: str) -> Session:
        return self.sessions[client_id]

    def deliver(self, topic: str, payload: str) -> None:
        """Each shared subscription hands it to one session, connected ones first."""
        taking = [s for s in self.sessions.values() if any(_matches(f, topic) for f in s.filters)]
        if taking:
            chosen = min(taking, key=lambda session: (session.connection is None, session.held))
            chosen.queue.append((topic, payload))
            chosen.send()

    async def _listen(self) -> asyncio.Server:
        return await self._loop.create_server(
            lambda: _Connection(self), "127.0.0.1", self.port, ssl=self._tls
        )

    def _each_connection(self, act: Any) -> None:
        async def do() -> None:
            for connection in list(self.connections):
                act(connection)
            await asyncio.sleep(0)

        self._run(do())

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)


class _Connection(asyncio.Protocol):
    def __init__(self, broker: SmallBroker) -> None:
        self._broker = broker
        self._buffer = b""
        self._session = Session(broker.payload_encoding)
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._broker.connections.add(self)

    def connection_lost(self, _error: Exception | None) -> None:
        self._broker.connections.discard(self)
        if self._session.connection is self:
            self._session.connection = None
            if self._session.expiry == 0:
                self._broker.sessions = {
                    name: other for name, other in self._broker.sessions.items() if other is not self._session
                }

    def write(self, first: int, body: bytes) -> None:
        self.transport.write(bytes((first,)) + _varint(len(body)) + body)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= 2:
            length, at = _read_varint(self._buffer, 1)
            if length is None or len(self._buffer) < at + length:
                return
            first, body = self._buffer[0], self._buffer[at : at + length]
            self._buffer = self._buffer[at + length :]
            self._packet(first, body)

    def _packet(self, first: int, body: bytes) -> None:
        kind = first >> 4
        if kind == 1:
            self._connect(body)
        elif kind == 3:
            self._published(first, body)
        elif kind == 4:
            self._session.unacknowledged.pop(struct.unpack(">H", body[:2])[0], None)
            self._session.send()
        elif kind == 8:
            self._session.filters.add(_read_text(body, 3)[0].decode())
            self.write(0x90, body[:2] + b"\x00\x01")
        elif kind == 10:
            self._session.filters.discard(_read_text(body, 3)[0].decode())
            self.write(0xB0, body[:2] + b"\x00\x00")
        elif kind == 12:
            self._broker.pings += 1
            if self._broker.answers_pings:
                self.write(0xD0, b"")
        elif kind == 14:
            if body[1:3] == b"\x05\x11":
                self._session.expiry = struct.unpack(">I", body[3:7])[0]
            self.transport.close()

    def _connect(self, body: bytes) -> None:
        flags = body[7]
        length, at = _read_varint(body, 10)
        properties, at = body[at : at + (length or 0)], at + (length or 0)
        fields = []
        for wanted in (True, flags & 0x80, flags & 0x40):
            raw, at = _read_text(body, at) if wanted else (None, at)
            fields.append(None if raw is None else raw.decode())
        client_id = fields[0] or ""
        self._broker.greetings.append((client_id, fields[1], fields[2]))
        if not self._broker.answers_connect:
            return
        if self._broker.refuses_with:
            self.write(0x20, bytes((0, self._broker.refuses_with, 0)))
            return
        present = client_id in self._broker.sessions and not flags & 0x02
        self._session = (
            self._broker.sessions[client_id] if present else Session(self._broker.payload_encoding)
        )
        self._broker.sessions[client_id] = self._session
        if self._session.connection is not None:
            self._session.connection.write(0xE0, b"\x8e\x00")
        self._session.connection = self
        self._session.expiry, self._session.receive_maximum = _terms(properties)
        self.write(0x20, bytes((present, 0, 0)))
        self._session.send_again()
        self._session.send()

    def _published(self, first: int, body: bytes) -> None:
        topic, at = _read_text(body, 0)
        if first & 0x06:
            self.write(0x40, body[at : at + 2])
            at += 2
        length, at = _read_varint(body, at)
        self._broker.deliver(topic.decode(), body[at + (length or 0) :].decode("utf-8", "replace"))


def _terms(properties: bytes) -> tuple[int, int]:
    """Session expiry and Receive Maximum, as far as they are among the properties of our clients."""
    expiry, receive_maximum, at = 0, 65_535, 0
    while at < len(properties):
        name, size = properties[at], {0x11: 4, 0x27: 4, 0x21: 2, 0x22: 2}.get(properties[at], 1)
        value = int.from_bytes(properties[at + 1 : at + 1 + size], "big")
        expiry = value if name == 0x11 else expiry
        receive_maximum = value if name == 0x21 else receive_maximum
        at += 1 + size
    return expiry, receive_maximum


def _matches(topic_filter: str, topic: str) -> bool:
    wanted, levels = topic_filter.split("/")[2:], topic.split("/")
    return len(wanted) == len(levels) and all(
        want in {"+", level} for want, level in zip(wanted, levels, strict=True)
    )


def _text(value: str) -> bytes:
    return struct.pack(">H", len(value.encode())) + value.encode()


def _read_text(raw: bytes, at: int) -> tuple[bytes, int]:
    end = at + 2 + struct.unpack_from(">H", raw, at)[0]
    return raw[at + 2 : end], end


def _varint(value: int) -> bytes:
    out = b""
    while value >= 128:
        out += bytes((value % 128 + 128,))
        value //= 128
    return out + bytes((value,))


def _read_varint(raw: bytes, at: int) -> tuple[int | None, int]:
    value, factor = 0, 1
    while at < len(raw):
        value += raw[at] % 128 * factor
        factor *= 128
        at += 1
        if raw[at - 1] < 128:
            return value, at
    return None, at


Broker = Mosquitto | SmallBroker


def any_broker(directory: Path) -> Broker:
    return Mosquitto(directory) if MOSQUITTO else SmallBroker()
