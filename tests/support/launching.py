"""Starting and stopping programs: the one way of the tests, the soak, the benchmarks and the scripts."""

import contextlib
import http.client
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from tests.support.waiting import NotReadyError, limit, wait_for

from steward.supervisor.cluster import find_location, socket_folder
from steward.supervisor.inherited_files import LISTEN_FD
from steward.supervisor.postgres import EmbeddedPostgres
from steward.supervisor.postgres_config import POSTGRES_CONFIG

Words = Sequence[str | os.PathLike[str]]


class Process(Protocol):
    """What `subprocess.Popen` and the processes of `warm_start` have in common."""

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Stoppable:
    """Is stopped at the end of a `with` block."""

    def stop(self) -> object:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


# Debian keeps some programs where only root looks.
PROGRAM_FOLDERS = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
# A machine under load takes minutes for a first start, and a process that ended is noticed at once.
START_SECONDS = 300


def find_program(name: str) -> str | None:
    return shutil.which(name, path=PROGRAM_FOLDERS)


def clean_environment(**settings: str) -> dict[str, str]:
    """The environment without the STEWARD_* variables of the caller, plus these settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("STEWARD_")}
    return inherited | settings


def launch(
    words: Words,
    log: Path,
    environment: Mapping[str, str],
    *,
    folder: Path | None = None,
    listener: socket.socket | None = None,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """A process that appends its output to the log. It inherits a listener in the way of the supervisor."""
    if listener is not None:
        environment = {**environment, LISTEN_FD: str(listener.fileno())}
        options["pass_fds"] = [listener.fileno()]
    with log.open("ab") as sink:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=sink,
            env=dict(environment),
            cwd=folder,
            **options,
        )


def stop(process: Process, seconds: float = 60) -> int:
    """Terminates the process and returns its exit code; one that doesn't stop in time is killed, and that is an error."""
    if process.poll() is None:
        process.terminate()
    try:
        return process.wait(limit(seconds))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


@contextlib.contextmanager
def running(
    words: Words, log: Path, environment: Mapping[str, str], **options: Any
) -> Iterator[subprocess.Popen[bytes]]:
    process = launch(words, log, environment, **options)
    try:
        yield process
    finally:
        stop(process)


def status_of(port: int | str, path: str, seconds: float = 2) -> int | None:
    """The status of a GET on this machine, or None without an answer. Called often, so it has to be cheap."""
    connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=limit(seconds))
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def wait_for_output(
    process: Process, log: Path, text: str, times: int = 1, seconds: float = START_SECONDS
) -> str:
    """The log once it contains the text so often."""

    def found() -> str | None:
        output = output_of_running(process, log)
        return output if output.count(text) >= times else None

    return wait_for(f"{text!r} in {log}", found, seconds)


def wait_for_answer(
    process: Process, port: int | str, log: Path, path: str, status: int | None = 200
) -> None:
    """Any answer will do when no status is given."""

    def answers() -> bool:
        output_of_running(process, log)
        found = status_of(port, path)
        return found is not None and status in {found, None}

    wait_for(f"an answer of port {port}", answers, START_SECONDS)


def output_of_running(process: Process, log: Path) -> str:
    output = log.read_text(encoding="utf-8", errors="replace")
    if (code := process.poll()) is not None:
        raise NotReadyError(f"the process has ended with {code}:\n{output[-4000:]}")
    return output


@contextlib.contextmanager
def temporary_folder(prefix: str, *, keep: bool = False) -> Iterator[Path]:
    """The account of PostgreSQL can enter it; private files in it have their own mode."""
    folder = Path(tempfile.mkdtemp(prefix=f"steward-{prefix}-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def clock_variables() -> dict[str, str]:
    """The shifted clock of `make test-hunt`: a database has to use the same one as the tests."""
    return {name: os.environ[name] for name in ("LD_PRELOAD", "HUNT_CLOCK_AHEAD") if name in os.environ}


@contextlib.contextmanager
def temporary_postgres(data_dir: Path, **configuration: str | None) -> Iterator[EmbeddedPostgres]:
    """An embedded server and its cluster. A value of None leaves the server's default, which can change at run time."""
    settings = {**POSTGRES_CONFIG, **configuration}
    server = EmbeddedPostgres(
        data_dir,
        configuration={name: value for name, value in settings.items() if value is not None},
        variables=clock_variables(),
    )
    server.start()
    try:
        yield server
    finally:
        server.stop()
        remove_cluster(data_dir)


def remove_cluster(data_dir: Path) -> None:
    """The files of a stopped server, which may be outside the data directory that its account can't enter."""
    if location := find_location(data_dir):
        shutil.rmtree(socket_folder(location), ignore_errors=True)
        shutil.rmtree(location.folder, ignore_errors=True)
