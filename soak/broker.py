"""The broker of a soak: Mosquitto in a process of its own, which writes down what it has soon after it has it."""

import asyncio
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tests.support.broker import MOSQUITTO
from tests.support.processes import free_port

__all__ = ["MOSQUITTO", "SoakBroker"]

# As many sessions as a worker or two may have had.
_SESSIONS = 4
_QUIET_SECONDS = 2.0


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

    def held(self) -> set[tuple[str, int]]:
        """The readings that wait here for a worker: late, and not lost. The workers must be gone by now."""
        found: set[tuple[str, int]] = set()
        for number in range(_SESSIONS):
            found |= self._session(f"steward-{number}")
        return found

    def _session(self, name: str) -> set[tuple[str, int]]:
        found: set[tuple[str, int]] = set()
        heard = time.monotonic()

        def take(_client: object, _data: object, message: Any) -> None:
            nonlocal heard
            heard = time.monotonic()
            found.add((message.topic.split("/")[2], json.loads(message.payload)["timestamp"]))

        client = paho.Client(CallbackAPIVersion.VERSION2, name, protocol=MQTTProtocolVersion.MQTTv5)
        client.on_message = take
        kept = Properties(PacketTypes.CONNECT)
        kept.SessionExpiryInterval = 3600
        client.connect("127.0.0.1", self.port, clean_start=False, properties=kept)
        client.loop_start()
        while time.monotonic() - heard < _QUIET_SECONDS:
            time.sleep(0.1)
        client.disconnect()
        client.loop_stop()
        return found
