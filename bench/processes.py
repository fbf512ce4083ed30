"""What runs during a benchmark: a fresh PostgreSQL, the service as its users start it, and a floor beside it."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from steward.settings import PREFIX
from steward.supervisor.cluster import find_location, socket_folder
from steward.supervisor.inherited_sockets import LISTEN_FD
from steward.supervisor.listener import open_listener, port_of
from steward.supervisor.postgres import EmbeddedPostgres

_READY_SECONDS = 60
_STOP_SECONDS = 15
_READY = '"event":"api ready"'


def find_program(name: str, package: str) -> str | None:
    """Where it is; on Debian, root gets it installed."""
    # Debian keeps some where only root looks.
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    if not shutil.which(name, path=path) and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {package} with apt-get", flush=True)
        for words in (["update", "-qq"], ["install", "-y", "-qq", package]):
            subprocess.run(["apt-get", *words], check=False, stdout=subprocess.DEVNULL)
    return shutil.which(name, path=path)


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
        remove_cluster(data_dir)


def remove_cluster(data_dir: Path) -> None:
    """All files of a server that has stopped."""
    if location := find_location(data_dir):
        shutil.rmtree(socket_folder(location), ignore_errors=True)
        shutil.rmtree(location.folder, ignore_errors=True)


def any_free_port() -> int:
    with open_listener("127.0.0.1", 0, timeout=0, pause=time.sleep) as listener:
        return port_of(listener)


@contextmanager
def running(words: list[str], log: Path, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
    """`python -m …` with default settings but for these, whatever the shell we were started from has set."""
    with running_command([sys.executable, "-m", *words], log, settings) as process:
        yield process


@contextmanager
def running_command(
    words: list[str], log: Path, settings: Mapping[str, str], listener: socket.socket | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A listener is handed down as the supervisor does it, so that several processes can accept from one."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    environment |= settings
    if listener is not None:
        environment[LISTEN_FD] = str(listener.fileno())
    with log.open("ab") as output:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=environment,
            pass_fds=() if listener is None else (listener.fileno(),),
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
        await_answer(api, port, log, path="/health/ready", status=200)
        yield port, api.pid


@contextmanager
def running_api(folder: Path, url: str, log: Path, **settings: str) -> Iterator[tuple[int, int]]:
    """`steward api` without a worker, so that nothing happens but what it is asked for."""
    with running_apis(folder, url, log, 1, **settings) as (port, [pid]):
        yield port, pid


@contextmanager
def running_apis(
    folder: Path, url: str, log: Path, count: int, **settings: str
) -> Iterator[tuple[int, list[int]]]:
    """As many that share one port, as under `steward up`; all are ready."""
    words = [sys.executable, "-m", "steward", "api"]
    words += ["--data-dir", str(folder / "data"), "--database-url", url]
    before = _times_ready(log)
    with ExitStack() as stack:
        listener = stack.enter_context(open_listener("127.0.0.1", 0, timeout=0, pause=time.sleep))
        apis = [stack.enter_context(running_command(words, log, settings, listener)) for _ in range(count)]
        try:
            await_that(lambda: _times_ready(log) == before + count, "every API process is ready")
        except NotReadyError as error:
            raise NotReadyError(f"{error}\n{log.read_text(errors='replace')[-2000:]}") from None
        yield port_of(listener), [api.pid for api in apis]


def _times_ready(log: Path) -> int:
    """How often a process has said so."""
    return log.read_text(errors="replace").count(_READY) if log.exists() else 0


@contextmanager
def running_floor(name: str, folder: Path, url: str, tenants_file: Path) -> Iterator[tuple[int, int]]:
    port = any_free_port()
    log = folder / f"floor-{name}.log"
    with running(["bench.floor", name, str(port), url, str(tenants_file)], log) as floor:
        # It knows one kind of request only: any answer to another is a sign of life.
        await_answer(floor, port, log, path="/", status=None)
        yield port, floor.pid


def await_that(
    condition: Callable[[], bool], meaning: str, seconds: float = _READY_SECONDS, *, pause: float = 0.05
) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise NotReadyError(f"not within {seconds} s: {meaning}")
        time.sleep(pause)


def await_answer(
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
