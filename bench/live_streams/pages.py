"""Many open streams in one thread, as so many browsers would have them."""

import selectors
import socket
import time
from typing import Self


class StreamLostError(Exception):
    """A stream ended, or didn't get what it should."""


class Pages:
    def __init__(self, port: int) -> None:
        self._port = port
        self._selector = selectors.DefaultSelector()
        self._received: dict[socket.socket, bytes] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        for page in self._received:
            page.close()
        self._selector.close()

    def open_all(self, cookies: list[str]) -> None:
        """One for each session, until they hear of everything."""
        for number, cookie in enumerate(cookies):
            # From several addresses, since one alone may have only so many connections.
            self._open(cookie, f"127.0.0.{2 + number % 100}")
        self.wait_for(b"event: hello")

    def _open(self, cookie: str, address: str) -> None:
        page = socket.create_connection(("127.0.0.1", self._port), source_address=(address, 0))
        head = f"GET /app/live HTTP/1.1\r\nHost: bench\r\nCookie: steward_session={cookie}\r\n\r\n"
        page.sendall(head.encode())
        self._received[page] = b""
        self._selector.register(page, selectors.EVENT_READ, page)

    def wait_for(self, text: bytes, seconds: float = 30) -> float:
        """Until each has got this since the last call; returns how long it took the last of them."""
        began = time.monotonic()
        lacking = {page for page, received in self._received.items() if text not in received}
        while lacking:
            ready = self._selector.select(timeout=1)
            if time.monotonic() - began > seconds:
                raise StreamLostError(f"{len(lacking)} of {len(self._received)} streams got no {text!r}")
            for key, _ in ready:
                if not (data := key.data.recv(65536)):
                    raise StreamLostError("a stream has ended")
                self._received[key.data] += data
                if text in self._received[key.data]:
                    lacking.discard(key.data)
        self._received = dict.fromkeys(self._received, b"")
        return time.monotonic() - began
