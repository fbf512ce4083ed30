"""The broker of a soak: Mosquitto in a process of its own, which writes down what it has soon after it has it."""

import asyncio
import subprocess
import time
from pathlib import Path

from tests.support.broker import MOSQUITTO
from tests.support.processes import free_port

__all__ = ["MOSQUITTO", "SoakBroker"]


class SoakBroker:
    def __init__(self, folder: Path) -> None:
        assert MOSQUITTO is not None
        self.port = free_port()
        self._log = folder / "mosquitto.log"
        self._configuration = folder / "mosquitto.conf"
        self._configuration.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\n"
            f"persistence true\npersistence_location {folder}/\n"
            "autosave_on_changes true\nautosave_interval 1\n"
            "max_queued_messages 0\nmax_inflight_messages 0\n",
            encoding="utf-8",
        )

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        assert MOSQUITTO is not None
        with self._log.open("ab") as sink:
            self._process = subprocess.Popen(
                [MOSQUITTO, "-c", str(self._configuration)], stdout=sink, stderr=sink
            )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(20)

    def said(self) -> int:
        return self._log.stat().st_size

    async def steward_is_back(self, since: int, seconds: float) -> bool:
        """Whether a worker has connected, by the broker's log from a place on."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if b" as steward-" in self._log.read_bytes()[since:]:
                return True
            await asyncio.sleep(0.1)
        return False
