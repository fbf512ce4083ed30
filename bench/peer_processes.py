"""The peers' processes: uvicorn, Celery and Redis, in an environment of their own (`bench/peers` says what they do)."""

import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench import processes
from steward.settings import Settings

_ROOT = Path(__file__).parents[1]
_LOCK = _ROOT / "requirements-bench.txt"
_ENVIRONMENT = _ROOT / ".venv-bench"
_PYTHON = str(_ENVIRONMENT / "bin" / "python")
_CORES = 2


class NoPeerError(Exception):
    """What the peer is made of is missing and can't be installed: there is a comparison less."""


class TaskQueue(msgspec.Struct, frozen=True):
    """Celery over Redis, idle until it is filled."""

    pid: int
    redis_pid: int
    settings: dict[str, str]

    def fill(self) -> None:
        """A task for each delivery that waits in its database."""
        self._tell("fill")

    def empty(self) -> None:
        self._tell("empty")

    def _tell(self, what: str) -> None:
        subprocess.run(
            [_PYTHON, "-m", "bench.peers.task_queue", what],
            check=True,
            cwd=_ROOT,
            env=os.environ | self.settings,
        )


def install() -> None:
    """The locked packages into `.venv-bench`, once for each lock file."""
    wanted = f"{zlib.crc32(_LOCK.read_bytes())}"
    mark = _ENVIRONMENT / "installed"
    if mark.exists() and mark.read_text() == wanted:
        return
    print("installing the peers' packages into .venv-bench", flush=True)
    pip = [_PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    try:
        subprocess.run([sys.executable, "-m", "venv", "--clear", _ENVIRONMENT], check=True)
        subprocess.run([*pip, "-r", _LOCK], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoPeerError(f"requirements-bench.txt can't be installed: {error}") from None
    mark.write_text(wanted)


@contextmanager
def running_web_app(folder: Path, url: str) -> Iterator[tuple[int, int]]:
    """FastAPI on uvicorn, one process with as many connections as ours; its port and process."""
    install()
    port = processes.any_free_port()
    log = folder / "peer.log"
    words = [_PYTHON, "-m", "uvicorn", "bench.peers.web_app:app", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--loop", "uvloop", "--http", "httptools"]
    settings = {
        "BENCH_DATABASE_URL": url,
        "BENCH_CONNECTIONS": str(Settings().pool_size),
    }
    with processes.running_command(words, log, settings) as process:
        processes.await_answer(process, port, log, path="/health/live", status=200)
        yield port, process.pid


@contextmanager
def running_task_queue(folder: Path, url: str) -> Iterator[TaskQueue]:
    """A Celery worker with a process for each core, and Redis with an append-only file as its broker."""
    install()
    with _running_redis(folder) as (redis_pid, broker_url):
        settings = {"BENCH_DATABASE_URL": url, "BENCH_BROKER_URL": broker_url}
        words = [
            _PYTHON,
            "-m",
            "celery",
            "--app",
            "bench.peers.task_queue",
            "worker",
            "--concurrency",
            str(_CORES),
        ]
        words += ["--without-gossip", "--without-mingle", "--loglevel", "WARNING"]
        log = folder / "celery.log"
        with processes.running_command(words, log, settings) as process:
            processes.await_that(lambda: _answers(settings), "Celery answers")
            yield TaskQueue(process.pid, redis_pid, settings)


def _answers(settings: dict[str, str]) -> bool:
    words = ["celery", "--app", "bench.peers.task_queue", "inspect", "ping", "--timeout", "1"]
    done = subprocess.run(
        [_PYTHON, "-m", *words], check=False, cwd=_ROOT, env=os.environ | settings, capture_output=True
    )
    return done.returncode == 0


@contextmanager
def _running_redis(folder: Path) -> Iterator[tuple[int, str]]:
    program = processes.find_program("redis-server", "redis-server")
    if program is None:
        raise NoPeerError("redis-server is missing: install the package `redis-server`")
    port = processes.any_free_port()
    home = folder / "redis"
    home.mkdir()
    words = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(home), "--save", ""]
    words += ["--appendonly", "yes", "--appendfsync", "everysec"]
    with (folder / "redis.log").open("ab") as log:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        yield process.pid, f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait()
