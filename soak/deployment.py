"""`steward up` as an operator has it: started, killed, started again; its processes by what they are."""

import asyncio
import mmap
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil
from tests.support.launching import launch, status_of
from tests.support.ports import free_port
from tests.support.processes import environment

# What many systems start a service with.
_OPEN_FILES = 1024
_WITH_FEW_FILES = f'ulimit -Sn {_OPEN_FILES}; exec "$@"'
CLOCK_FOLDER = Path(__file__).parent / "clock"
_STOP_SECONDS = 60
_IN_A_ROW = 4
_SETTINGS = {
    "STEWARD_API_PROCESSES": "2",
    "STEWARD_WEBHOOK_ALLOW_LOCAL": "on",
    # So close together that a receiver's absence is over while somebody still looks on.
    "STEWARD_WEBHOOK_RETRY_SCHEDULE": "0,1,2,3,5,5,5,10,10,10,20,20",
    "STEWARD_CONNECTIVITY_CHECK_SECONDS": "5",
    "STEWARD_SHUTDOWN_SECONDS": "10",
    "STEWARD_LOG_FORMAT": "json",
}


class Clock:
    """Set for the service alone: the worker, and everybody else."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.write_bytes(bytes(16))
        file.chmod(0o644)
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), 16)

    def set(self, *, worker: float, others: float) -> None:
        self._shared[:] = struct.pack("dd", worker, others)


class Up:
    def __init__(self, folder: Path, data_dir: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self.data_dir = data_dir
        self.clock = Clock(folder / "clock.bin")
        self.log = folder / "up.log"
        self.port = free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self._settings = {**_SETTINGS, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        # Ended by us, and to be started again by us.
        self._expected = False
        self.ended_by_itself: list[str] = []
        self.stop_seconds = 0.0

    def start(self) -> None:
        where = ["--data-dir", str(self.data_dir), "--port", str(self.port)]
        words = ["sh", "-c", _WITH_FEW_FILES, "sh", sys.executable, "-m", "steward", "up", *where]
        paths = [str(CLOCK_FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
        own = {"PYTHONPATH": os.pathsep.join(paths), "SOAK_CLOCK": str(self.clock.file)}
        self._process = launch(words, self.log, environment(**self._settings, **own), folder=self.folder)
        self._expected = False

    async def keep_running(self) -> None:
        """What a service manager does, only that it never should have to."""
        while True:
            await asyncio.sleep(0.3)
            if not self._expected and self._process is not None and self._process.poll() is not None:
                self.ended_by_itself.append(f"code {self._process.returncode}: {self._last_words()}")
                await asyncio.sleep(1)
                self.start()

    def _last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return next((line[-200:] for line in reversed(lines) if '"event":"request"' not in line), "")

    def kill(self) -> None:
        """The supervisor alone: what it has started is to notice by itself."""
        assert self._process is not None
        self._expected = True
        self._process.kill()
        self._process.wait()

    async def terminate(self) -> None:
        """Ends in order, or else counts as hanging and is killed."""
        assert self._process is not None
        self._expected = True
        before, began = self._all(), time.monotonic()
        self._process.terminate()
        while self._process.poll() is None and time.monotonic() - began < _STOP_SECONDS:
            await asyncio.sleep(0.05)
        self.stop_seconds = max(self.stop_seconds, time.monotonic() - began)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        # Whatever is left of these very processes; psutil knows a number that was given to another.
        for process in before:
            with suppress(psutil.NoSuchProcess):
                process.kill()

    def _all(self) -> list[psutil.Process]:
        assert self._process is not None
        with suppress(psutil.NoSuchProcess):
            return psutil.Process(self._process.pid).children(recursive=True)
        return []

    def parts(self, role: str) -> list[psutil.Process]:
        """The `api` processes or the `worker`, as they are now."""
        assert self._process is not None
        found = []
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self._process.pid).children():
                with suppress(psutil.NoSuchProcess):
                    if child.cmdline()[-1:] == [role]:
                        found.append(child)
        return found

    def memory(self) -> dict[str, int]:
        """MiB that each kind of process holds, the largest of its kind."""
        found: dict[str, int] = {}
        for role in ("api", "worker"):
            for process in self.parts(role):
                with suppress(psutil.NoSuchProcess):
                    found[role] = max(found.get(role, 0), process.memory_info().rss >> 20)
        return found

    async def wait_until_ready(self, seconds: float) -> bool:
        """Ready several times in a row, each over a connection of its own: any of the processes may take it."""
        deadline, row = time.monotonic() + seconds, 0
        while time.monotonic() < deadline:
            status = await asyncio.to_thread(status_of, self.port, "/health/ready", 3)
            row = row + 1 if status == 200 else 0
            if row == _IN_A_ROW:
                return True
            await asyncio.sleep(0.05)
        return False


def signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)
