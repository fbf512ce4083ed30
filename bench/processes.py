"""What runs during a benchmark: a fresh PostgreSQL, the service as its users start it, and other processes beside it."""

import asyncio
import itertools
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
from tests.support import launching
from tests.support.ports import free_port
from tests.support.waiting import wait_for

from steward.supervisor.listener import open_listener, port_of
from steward.wiring.schema import migrate

_READY = '"event":"api ready"'
_numbers = itertools.count(1)
_Running = AbstractContextManager["subprocess.Popen[bytes]"]


class MissingProgramError(Exception):
    """A program is missing and can't be installed here."""


def find_program(name: str) -> str:
    """Where it is; on Debian, root gets the package of that name installed."""
    if not launching.find_program(name) and os.geteuid() == 0 and launching.find_program("apt-get"):
        print(f"installing {name} with apt-get", flush=True)
        for words in (["update", "-qq"], ["install", "-y", "-qq", name]):
            subprocess.run(["apt-get", *words], check=False, stdout=subprocess.DEVNULL)
    found = launching.find_program(name)
    if found is None:
        raise MissingProgramError(f"{name} is missing: install the package `{name}`")
    return found


def running(log: Path, *words: object, **settings: str) -> _Running:
    """`python -m …` with default settings but for these, whatever the shell that started us has set."""
    return running_command(log, sys.executable, "-m", *words, **settings)


def running_command(log: Path, *words: object, listener: Any = None, **settings: str) -> _Running:
    environment = launching.clean_environment(**settings)
    return launching.running([str(word) for word in words], log, environment, listener=listener)


class Server(msgspec.Struct, frozen=True):
    """A folder with a new PostgreSQL that has the tables of the service."""

    folder: Path
    url: str
    postgres_pid: int

    def private_file(self, name: str, content: bytes = b"") -> Path:
        """For keys and sessions."""
        file = self.folder / name
        file.touch(mode=0o600)
        file.write_bytes(content)
        return file

    def worker(self, **settings: str) -> _Running:
        return running(self.folder / "worker.log", *self._steward("worker"), **settings)

    @contextmanager
    def apis(self, count: int, **settings: str) -> Iterator[tuple[int, list[int]]]:
        """So many ready `steward api` that share one port, as under `steward up`; the port and the processes."""
        log = self.folder / f"api-{next(_numbers)}.log"
        words = [sys.executable, "-m", *self._steward("api")]
        with ExitStack() as stack:
            listener = stack.enter_context(open_listener("127.0.0.1", 0, timeout=0, pause=time.sleep))
            apis = [
                stack.enter_context(running_command(log, *words, listener=listener, **settings))
                for _ in range(count)
            ]
            for api in apis:
                launching.wait_for_output(api, log, _READY)
            launching.wait_for_output(apis[-1], log, _READY, times=count)
            yield port_of(listener), [api.pid for api in apis]

    @contextmanager
    def api(self, **settings: str) -> Iterator[tuple[int, int]]:
        """One without a worker, so that nothing happens but what it is asked for."""
        with self.apis(1, **settings) as (port, [pid]):
            yield port, pid

    @contextmanager
    def service(self) -> Iterator[tuple[int, int]]:
        """`steward api` and `steward worker`, ready; the port and the process of the former."""
        with self.worker(), self.api() as (port, pid):
            wait_for("a ready service", lambda: launching.status_of(port, "/health/ready") == 200)
            yield port, pid

    @contextmanager
    def beside(self, *words: object, port: int | None = None, **settings: str) -> Iterator[tuple[int, int]]:
        """`python -m … PORT`, once it answers whatever it is asked; its port and process."""
        port = port or free_port()
        log = self.folder / f"{words[0]}-{next(_numbers)}.log"
        with running(log, *words, port, **settings) as process:
            launching.wait_for_answer(process, port, log, "/", status=None)
            yield port, process.pid

    def _steward(self, command: str) -> Sequence[str]:
        return ("steward", command, "--data-dir", str(self.folder / "data"), "--database-url", self.url)


@contextmanager
def fresh_server() -> Iterator[Server]:
    with launching.temporary_folder("bench") as folder:
        data_dir = folder / "data"
        data_dir.mkdir(mode=0o711)
        with launching.temporary_postgres(data_dir) as postgres:
            pid = postgres.pid()
            assert pid is not None
            asyncio.run(migrate(postgres.url))
            yield Server(folder, postgres.url, pid)
