"""A proxy in front of PostgreSQL (or of anything that speaks TCP) that misbehaves when told to.

proxy = FaultProxy("/run/postgresql/.s.PGSQL.5432")   # or FaultProxy("127.0.0.1:5432")
url = proxy.url(database_url)
proxy.mode = "hole"                                   # nothing passes, nothing is closed
proxy.mode = "pass"                                   # what froze goes on, as after a partition
proxy.stop()
"""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from typing import Literal, Self
from urllib.parse import parse_qs, urlsplit

from tests.support.launching import Stoppable
from tests.support.waiting import limit

Mode = Literal["pass", "hole", "refuse"]
_CHUNK = 65536


class _Tunnel:
    """One accepted connection. A stranded one carries nothing any more, whatever the mode."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writers = [writer]
        self.stranded = asyncio.Event()

    def abort(self) -> None:
        for writer in self.writers:
            writer.transport.abort()


class FaultProxy(Stoppable):
    """Runs in a thread of its own. `target` is `host:port` or the path of a Unix socket; `port` 0 takes a free one.

    `pass` forwards. `hole` accepts, and freezes all connections, also their ends. `refuse` resets all connections, and new
    ones at once. `delay` is how many seconds each piece waits before it is forwarded.
    """

    def __init__(self, target: str, port: int = 0) -> None:
        self._target = target
        self._mode: Mode = "pass"
        self._tunnels: set[_Tunnel] = set()
        # Nobody else knows of those that wait for ever, and what nobody knows of is collected.
        self._tasks: set[asyncio.Task[None] | None] = set()
        self._loop = asyncio.new_event_loop()
        self._gate = asyncio.Event()
        self._gate.set()
        self.delay = 0.0
        # How many pieces have come and wait until something passes again.
        self.held = 0
        listening = socket.create_server(("127.0.0.1", port), backlog=512)
        self.port: int = listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, args=(listening,), daemon=True)
        self._thread.start()

    @classmethod
    def before(cls, database_url: str, port: int = 0) -> Self:
        """In front of the server that a URL of ours names."""
        parts = urlsplit(database_url)
        query = parse_qs(parts.query)
        host = query.get("host", [parts.hostname or "127.0.0.1"])[0]
        number = query.get("port", [str(parts.port or 5432)])[0]
        return cls(f"{host}/.s.PGSQL.{number}" if host.startswith("/") else f"{host}:{number}", port)

    def url(self, database_url: str) -> str:
        """The same database by way of this proxy."""
        parts = urlsplit(database_url)
        login = f"{parts.username or ''}{':' + parts.password if parts.password else ''}@"
        return f"postgresql://{login}127.0.0.1:{self.port}{parts.path}"

    @property
    def mode(self) -> Mode:
        return self._mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._mode = mode
        self._call(self._settle)

    def drop(self) -> None:
        """Resets the connections that there are."""
        self._call(self._abort_all)

    def say(self, data: bytes) -> None:
        """Sends bytes to everybody who is connected, as if they came from the other side."""
        self._call(lambda: self._say_to_all(data))

    def strand(self) -> None:
        """The connections that there are carry nothing any more and are not closed; new ones are not touched."""
        self._call(self._strand_all)

    def stop(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _call(self, act: Callable[[], None]) -> None:
        """Runs in the proxy's thread; it is done when this returns."""
        done = threading.Event()

        def run() -> None:
            act()
            done.set()

        self._loop.call_soon_threadsafe(run)
        assert done.wait(limit(60)), "the proxy does nothing"

    def _serve(self, listening: socket.socket) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._accepted, sock=listening))
        try:
            self._loop.run_forever()
        finally:
            # Connections that are cut off with us are no news.
            self._loop.set_exception_handler(lambda _loop, _context: None)
            server.close()
            self._abort_all()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.close()

    def _settle(self) -> None:
        if self._mode == "hole":
            self._gate.clear()
            return
        if self._mode == "refuse":
            self._abort_all()
        self._gate.set()

    def _abort_all(self) -> None:
        for tunnel in list(self._tunnels):
            tunnel.abort()

    def _say_to_all(self, data: bytes) -> None:
        for tunnel in self._tunnels:
            tunnel.writers[0].write(data)

    def _strand_all(self) -> None:
        for tunnel in self._tunnels:
            tunnel.stranded.set()

    async def _accepted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # An end of ours is a reset, as from a machine that has forgotten the connection.
        writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        tunnel, task = _Tunnel(writer), asyncio.current_task()
        self._tunnels.add(tunnel)
        self._tasks.add(task)
        try:
            if self._mode != "refuse":
                await self._gate.wait()
                await self._carry(tunnel, reader, writer)
        except OSError:
            pass
        finally:
            self._tunnels.discard(tunnel)
            self._tasks.discard(task)
            tunnel.abort()

    async def _carry(
        self, tunnel: _Tunnel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        upstream, downstream = await self._connect()
        tunnel.writers.append(downstream)
        pumps = [
            asyncio.ensure_future(self._pump(tunnel, reader, downstream)),
            asyncio.ensure_future(self._pump(tunnel, upstream, writer)),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._target.startswith("/"):
            return await asyncio.open_unix_connection(self._target)
        host, _, port = self._target.rpartition(":")
        return await asyncio.open_connection(host, int(port))

    async def _until_it_passes(self, data: bytes) -> None:
        self.held += bool(data)
        try:
            await self._gate.wait()
        finally:
            self.held -= bool(data)

    async def _pump(
        self, tunnel: _Tunnel, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while True:
            data = b""
            with contextlib.suppress(ConnectionError):
                data = await reader.read(_CHUNK)
            if self.delay:
                await asyncio.sleep(self.delay)
            await self._until_it_passes(data)
            if tunnel.stranded.is_set():
                await asyncio.Event().wait()
            if not data:
                return
            writer.write(data)
            await writer.drain()
