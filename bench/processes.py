"""What runs during a benchmark: a fresh PostgreSQL, the service as its users start it, and a floor beside it."""

import http.client
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steward.settings import PREFIX
from steward.supervisor.cluster import find_location, socket_folder
from steward.supervisor.listener import free_port
from steward.supervisor.postgres import EmbeddedPostgres

_READY_SECONDS = 30
_STOP_SECONDS = 15


class NotReadyError(Exception):
    """A process did not come up; the message ends with what it said."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="steward-bench-"))
    # As root, PostgreSQL's account has to get through; what is private in here is private by itself.
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def fresh_postgres(folder: Path) -> Iterator[tuple[str, int]]:
    """The URL and the process of a new server; all of its files go, wherever they had to be put."""
    data_dir = folder / "data"
    data_dir.mkdir(mode=0o711)
    postgres = EmbeddedPostgres(data_dir)
    try:
        url = postgres.start()
        pid = postgres.pid()
        assert pid is not None
        yield url, pid
    finally:
        postgres.stop()
        if location := find_location(data_dir):
            shutil.rmtree(socket_folder(location), ignore_errors=True)
            shutil.rmtree(location.folder, ignore_errors=True)


def any_free_port() -> int:
    return free_port("127.0.0.1", 0, timeout=0, pause=time.sleep)


@contextmanager
def running(words: list[str], log: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m …` with default settings but for these, whatever the shell we were started from has set."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environment |= settings
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", *words],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
        )
    try:
        yield process
    finally:
        _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def running_service(folder: Path, url: str) -> Iterator[tuple[int, int]]:
    """`steward api` and `steward worker`; the port and the process of the former."""
    port = any_free_port()
    where = ["--data-dir", str(folder / "data"), "--database-url", url]
    log = folder / "api.log"
    with (
        running(["steward", "worker", *where], folder / "worker.log"),
        running(["steward", "api", "--port", str(port), *where], log) as api,
    ):
        _await_answer(api, port, log, path="/health/ready", status=200)
        yield port, api.pid


@contextmanager
def running_api(folder: Path, url: str, log: Path, **settings: str) -> Iterator[tuple[int, int]]:
    """`steward api` without a worker, so that nothing happens but what it is asked for."""
    port = any_free_port()
    words = ["steward", "api", "--port", str(port), "--data-dir", str(folder / "data"), "--database-url", url]
    with running(words, log, **settings) as api:
        _await_answer(api, port, log, path="/health/live", status=200)
        yield port, api.pid


@contextmanager
def running_floor(name: str, folder: Path, url: str, tenants_file: Path) -> Iterator[tuple[int, int]]:
    port = any_free_port()
    log = folder / f"floor-{name}.log"
    with running(["bench.floor", name, str(port), url, str(tenants_file)], log) as floor:
        # It knows one kind of request only: any answer to another is a sign of life.
        _await_answer(floor, port, log, path="/", status=None)
        yield port, floor.pid


def _await_answer(
    process: subprocess.Popen[bytes], port: int, log: Path, *, path: str, status: int | None
) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        found = _status_of(port, path)
        if found is not None and status in {found, None}:
            return
        time.sleep(0.1)
    said = log.read_text(errors="replace")[-2000:]
    raise NotReadyError(f"{' '.join(map(str, process.args))} is not ready:\n{said}")  # type: ignore[arg-type]


def _status_of(port: int, path: str) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
