"""A receiver of webhooks beside a test that waits for nothing else."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class ThreadReceiver(ThreadingHTTPServer):
    """Keeps what is posted to it."""

    def __init__(self) -> None:
        self.taken: list[tuple[bytes, dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert isinstance(self.server, ThreadReceiver)
        self.server.taken.append((body, {name.lower(): value for name, value in self.headers.items()}))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_words: Any) -> None:
        """The test says what came."""


@contextmanager
def receiving() -> Iterator[ThreadReceiver]:
    with ThreadReceiver() as receiver:
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        yield receiver
        receiver.shutdown()
