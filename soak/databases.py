"""PostgreSQL under a soak: the one that Steward brings along, and one of the operator's behind a proxy."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncpg
import psutil
from tests.support.launching import remove_cluster
from tests.support.proxy import FaultProxy

from soak.deployment import signal_all
from steward.supervisor.cluster import find_location
from steward.supervisor.postgres import EmbeddedPostgres, running_url
from steward.supervisor.postmaster import postmaster_of


class Database:
    """What both have in common: a server in a data directory, with its processes."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir

    def settings(self) -> Mapping[str, str]:
        return {}

    def url(self) -> str:
        """Straight to the server, past everything that stands before it."""
        url = running_url(self.data_dir)
        if url is None:
            raise OSError("PostgreSQL does not run")
        return url

    async def reachable_url(self) -> str:
        """The same once the server is up, if it is on its way."""
        for _ in range(100):
            with suppress(OSError):
                return self.url()
            await asyncio.sleep(0.3)
        return self.url()

    def postmaster(self) -> int | None:
        location = find_location(self.data_dir)
        running = postmaster_of(location.cluster) if location else None
        return running.pid if running else None

    def backends(self) -> list[int]:
        """Processes that serve a connection."""
        found = []
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                if "".join(process.cmdline()[:1]).startswith("postgres: steward: steward steward"):
                    found.append(process.pid)
        return found

    def _processes(self) -> list[psutil.Process]:
        """The postmaster, and what it has started."""
        with suppress(psutil.NoSuchProcess):
            if server := self.postmaster():
                process = psutil.Process(server)
                return [process, *process.children()]
        return []

    def _signal(self, number: signal.Signals) -> None:
        signal_all([process.pid for process in self._processes()], number)

    def pause(self) -> None:
        # The parent first, so that it starts nothing meanwhile.
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def kill_server(self) -> None:
        if server := self.postmaster():
            signal_all([server], signal.SIGKILL)

    async def run(self, statement: str) -> None:
        connection = await asyncpg.connect(self.url(), timeout=5)
        try:
            await connection.execute(statement)
        finally:
            await connection.close(timeout=5)

    def end(self) -> None:
        """Whatever is left, with its files."""
        self.go_on()
        self._signal(signal.SIGKILL)
        remove_cluster(self.data_dir)


class Volume:
    """A small file system of its own for the data directory, which can be filled to the brim."""

    def __init__(self, mount: Path) -> None:
        self.path = mount
        self._filler = mount / "filler"

    def fill(self) -> None:
        with self._filler.open("ab") as filler:
            size = 1 << 26
            while size:
                try:
                    os.posix_fallocate(filler.fileno(), os.fstat(filler.fileno()).st_size, size)
                except OSError:
                    size //= 2

    def clear(self) -> None:
        self._filler.unlink(missing_ok=True)


@contextmanager
def small_volume(mount: Path, mebibytes: int) -> Iterator[Volume | None]:
    """None where we may not mount one."""
    mount.mkdir(mode=0o755)
    options = f"size={mebibytes}m,mode=755"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mount)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        print("skipped: no full disk, since a small volume can't be mounted here")
        yield None
        return
    try:
        yield Volume(mount)
    finally:
        subprocess.run(["umount", "--lazy", mount], check=False, capture_output=True)


class OwnDatabase(Database):
    """Started by us, as by an operator, and reached by way of a proxy."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        data_dir.mkdir()
        self._server = EmbeddedPostgres(data_dir)
        self.proxy = FaultProxy.before(self._server.start())

    def settings(self) -> Mapping[str, str]:
        return {"STEWARD_DATABASE_URL": self.proxy.url(self._server.url)}

    async def start(self) -> None:
        await asyncio.to_thread(self._server.start)

    async def stop(self) -> None:
        await asyncio.to_thread(self._server.stop)

    def end(self) -> None:
        self.proxy.drop()
        self.proxy.stop()
        self.go_on()
        self._server.stop()
        remove_cluster(self.data_dir)
        shutil.rmtree(self.data_dir, ignore_errors=True)
