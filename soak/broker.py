"""The broker of a soak: Mosquitto in a process of its own, which writes down what it has soon after it has it."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from tests.support.broker import Mosquitto

# As many sessions as a worker or two may have had.
_SESSIONS = 4
_QUIET_SECONDS = 2.0


class SoakBroker(Mosquitto):
    def __init__(self, folder: Path) -> None:
        super().__init__(
            folder,
            "allow_anonymous true",
            "autosave_on_changes true",
            "autosave_interval 1",
            log="notice",
        )

    def start(self) -> None:
        """Clients have to wait for it, as devices do."""
        self.launch()

    def log_size(self) -> int:
        return self.log.stat().st_size

    async def wait_for_steward(self, since: int, seconds: float) -> None:
        """Until a worker has connected, by the broker's log from a place on, or so long."""
        deadline = time.monotonic() + seconds
        while b" as steward-" not in self.log.read_bytes()[since:] and time.monotonic() < deadline:
            await asyncio.sleep(0.1)

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
