"""What a scenario of deliveries needs to have running."""

import asyncio
import base64
import http.client
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from bench import processes
from steward.wiring.schema import migrate

KEY = bytes(range(32))
_SETTINGS = {
    "STEWARD_SECRET_KEY": base64.b64encode(KEY).decode(),
    "STEWARD_WEBHOOK_ALLOW_LOCAL": "on",
    "STEWARD_METRICS_ADDRESS": "off",
}


class Stage(msgspec.Struct):
    folder: Path
    url: str
    postgres_pid: int
    receiver_port: int
    worker_pid: int = 0

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.receiver_port}"


@contextmanager
def stage() -> Iterator[Stage]:
    """A fresh PostgreSQL and a receiver."""
    with ExitStack() as stack:
        folder = stack.enter_context(processes.temporary_folder())
        url, pid = stack.enter_context(processes.fresh_postgres(folder))
        asyncio.run(migrate(url))
        port = processes.any_free_port()
        stack.enter_context(
            processes.running(["bench.delivery.receiver", str(port)], folder / "receiver.log")
        )
        processes.await_that(lambda: count(port) is not None, "the receiver answers")
        yield Stage(folder, url, pid, port)


@contextmanager
def worker(stage: Stage, **settings: str) -> Iterator[int]:
    words = ["steward", "worker", "--data-dir", str(stage.folder / "data"), "--database-url", stage.url]
    with processes.running(words, stage.folder / "worker.log", **_SETTINGS, **settings) as process:
        stage.worker_pid = process.pid
        yield process.pid


@contextmanager
def api(stage: Stage, **settings: str) -> Iterator[tuple[int, int]]:
    port = processes.any_free_port()
    where = ["--data-dir", str(stage.folder / "data"), "--database-url", stage.url, "--port", str(port)]
    settings = {**_SETTINGS, "STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000", **settings}
    with processes.running(["steward", "api", *where], stage.folder / "api.log", **settings) as process:
        processes.await_that(lambda: get(port, "/health/live") is not None, "the API answers")
        yield port, process.pid


@contextmanager
def floor(stage: Stage) -> Iterator[tuple[int, int]]:
    port = processes.any_free_port()
    words = ["bench.delivery.floor", str(stage.receiver_port), str(port)]
    with processes.running(words, stage.folder / "floor.log") as process:
        processes.await_that(lambda: get(port, "/") is not None, "the floor answers")
        yield port, process.pid


def get(port: int, path: str, timeout: float = 120) -> bytes | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path)
        return connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def count(port: int) -> int | None:
    said = get(port, "/count")
    return None if said is None else int(said)


def arrivals(stage: Stage) -> list[tuple[str, str, float]]:
    return msgspec.json.decode(
        get(stage.receiver_port, "/arrivals") or b"[]", type=list[tuple[str, str, float]]
    )
