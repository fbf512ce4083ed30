"""What a scenario of deliveries needs to have running."""

import base64
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import msgspec

from bench.control import tell
from bench.processes import Server, fresh_server

KEY = bytes(range(32))
_SETTINGS = {
    "STEWARD_SECRET_KEY": base64.b64encode(KEY).decode(),
    "STEWARD_WEBHOOK_ALLOW_LOCAL": "on",
    "STEWARD_METRICS_ADDRESS": "off",
    "STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000",
}


class Stage(msgspec.Struct, frozen=True):
    """A fresh PostgreSQL and a receiver."""

    server: Server
    receiver_port: int

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.receiver_port}"

    def worker(self) -> "AbstractContextManager[subprocess.Popen[bytes]]":
        return self.server.worker(**_SETTINGS)

    def api(self) -> AbstractContextManager[tuple[int, int]]:
        return self.server.api(**_SETTINGS)

    def arrived(self) -> int:
        return int(tell(self.receiver_port, "count"))

    def arrivals(self) -> list[tuple[str, float]]:
        """Since the last call: event and time."""
        found: Any = tell(self.receiver_port, "arrivals")
        return found


@contextmanager
def stage() -> Iterator[Stage]:
    with fresh_server() as server, server.beside("bench.delivery.receiver") as (port, _):
        yield Stage(server, port)
