"""The peers' processes: uvicorn, Celery and Redis, in an environment of their own (`bench/peers` says what they do)."""

import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests.support.launching import wait_for_answer
from tests.support.ports import free_port
from tests.support.waiting import wait_for

from bench.processes import MissingProgramError, Server, find_program, running_command
from steward.settings import Settings

_ROOT = Path(__file__).parents[1]
_LOCK = _ROOT / "requirements-bench.txt"
_ENVIRONMENT = _ROOT / ".venv-bench"
_PYTHON = str(_ENVIRONMENT / "bin" / "python")
_CELERY = (_PYTHON, "-m", "celery", "--app", "bench.peers.task_queue")
_CORES = 2


@contextmanager
def said_when_missing() -> Iterator[None]:
    """Where a peer can't be had, there is a comparison less."""
    try:
        yield
    except MissingProgramError as error:
        print(f"no peer: {error}", flush=True)


class TaskQueue(msgspec.Struct, frozen=True):
    """Celery over Redis, idle until it is filled."""

    pid: int
    redis_pid: int
    settings: dict[str, str]

    def tell(self, what: str) -> None:
        """`fill` makes a task for each delivery that waits in its database, `empty` drops them."""
        command = [_PYTHON, "-m", "bench.peers.task_queue", what]
        subprocess.run(command, check=True, cwd=_ROOT, env=os.environ | self.settings)


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
        raise MissingProgramError(f"requirements-bench.txt can't be installed: {error}") from None
    mark.write_text(wanted)


@contextmanager
def running_web_app(server: Server) -> Iterator[tuple[int, int]]:
    """FastAPI on uvicorn, one process with as many connections as ours; its port and process."""
    install()
    port, log = free_port(), server.folder / "peer.log"
    words = [_PYTHON, "-m", "uvicorn", "bench.peers.web_app:app", "--host", "127.0.0.1", "--port", port]
    words += ["--loop", "uvloop", "--http", "httptools"]
    connections = str(Settings().pool_size)
    settings = {"BENCH_DATABASE_URL": server.url, "BENCH_CONNECTIONS": connections}
    with running_command(log, *words, **settings) as process:
        wait_for_answer(process, port, log, "/health/live")
        yield port, process.pid


@contextmanager
def running_task_queue(server: Server, url: str) -> Iterator[TaskQueue]:
    """A Celery worker with a process for each core, and Redis with an append-only file as its broker."""
    install()
    with _running_redis(server.folder) as (redis_pid, broker_url):
        settings = {"BENCH_DATABASE_URL": url, "BENCH_BROKER_URL": broker_url}
        words = [
            "worker",
            "--concurrency",
            _CORES,
            "--without-gossip",
            "--without-mingle",
            "--loglevel",
            "WARNING",
        ]
        with running_command(server.folder / "celery.log", *_CELERY, *words, **settings) as process:
            wait_for("an answer of Celery", lambda: _answers(settings))
            yield TaskQueue(process.pid, redis_pid, settings)


def _answers(settings: dict[str, str]) -> bool:
    ping = [*_CELERY, "inspect", "ping", "--timeout", "1"]
    done = subprocess.run(ping, check=False, cwd=_ROOT, env=os.environ | settings, capture_output=True)
    return done.returncode == 0


@contextmanager
def _running_redis(folder: Path) -> Iterator[tuple[int, str]]:
    port, home = free_port(), folder / "redis"
    home.mkdir()
    words = [find_program("redis-server"), "--port", port, "--bind", "127.0.0.1", "--dir", home, "--save", ""]
    words += ["--appendonly", "yes", "--appendfsync", "everysec"]
    with running_command(folder / "redis.log", *words) as process:
        yield process.pid, f"redis://127.0.0.1:{port}/0"
