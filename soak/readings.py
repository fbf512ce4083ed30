"""Devices: one reading at a time, many at once, and by way of the broker."""

import asyncio
import itertools
import json
import threading
from collections.abc import Set

from paho.mqtt import client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from soak.calls import Caller, Pace
from soak.ledger import Ledger, Readings
from soak.setup import SoakSetup

_KEY = "Temperature"
_BATCH = 20


class Devices:
    """Each reading has a second of its own among those of its device, and a value of its own."""

    def __init__(self, assets: list[str], first_second: int, readings: Readings) -> None:
        self._turns = itertools.cycle(assets)
        self._next = dict.fromkeys(assets, first_second)
        self._values = itertools.count()
        self.readings = readings

    def reading(self) -> tuple[str, int, float]:
        asset = next(self._turns)
        second = self._next[asset]
        self._next[asset] += 1
        value = self.readings.sent[asset, second] = next(self._values) / 4
        return asset, second, value


class Senders:
    """Over HTTP. What got no answer is sent again: with its timestamp it counts once."""

    def __init__(self, setup: SoakSetup, caller: Caller, ledger: Ledger, pace: Pace) -> None:
        self._setup = setup
        self._caller = caller
        self._pace = pace
        self._singles = Devices(setup.singles, setup.first_second, ledger.readings["HTTP"])
        self._batches = Devices(setup.batches, setup.first_second, ledger.readings["HTTP in batches"])

    async def run(self) -> None:
        await asyncio.gather(self._pace.repeat(self._send, 0.15), self._pace.repeat(self._send_batch, 0.8))

    async def _send(self) -> None:
        asset, second, value = self._singles.reading()
        body = {"values": {_KEY: value}, "timestamp": second}
        answer = await self._caller.insist("POST", self._setup.at("assets", asset, "telemetry"), body)
        if self._caller.is_expected("send a reading", answer, 200):
            self._singles.readings.acknowledged.add((asset, second))

    async def _send_batch(self) -> None:
        readings = [self._batches.reading() for _ in range(_BATCH)]
        items = [{"assetId": a, "values": {_KEY: value}, "timestamp": at} for a, at, value in readings]
        answer = await self._caller.insist("POST", self._setup.at("telemetry"), {"readings": items})
        if not self._caller.is_expected("send a batch", answer, 200):
            return
        for (asset, second, _), result in zip(readings, answer.data["results"], strict=True):
            if result["accepted"]:
                self._batches.readings.acknowledged.add((asset, second))
            else:
                self._caller.note_unexpected(f"a reading of a batch: {result}", answer)


class Publisher:
    """A client of the broker in a thread of its own. What the broker has confirmed must arrive.

    A broker that ends may lose what it holds, and what comes before somebody subscribes again. So it is emptied before, and
    what it confirms until a worker is back is not counted.
    """

    def __init__(self, setup: SoakSetup, port: int, ledger: Ledger) -> None:
        self._setup = setup
        self._readings = ledger.readings["MQTT"]
        self._devices = Devices(setup.published, setup.first_second, self._readings)
        self._under_way: dict[int, tuple[str, int]] = {}
        # Confirmed before `publish` came back with their number.
        self._early: set[int] = set()
        self._lock = threading.Lock()
        self._at_risk = False
        self.paused = False
        self._client = paho.Client(CallbackAPIVersion.VERSION2, "soak", protocol=MQTTProtocolVersion.MQTTv5)
        self._client.on_publish = self._confirmed
        self._client.reconnect_delay_set(1, 2)
        self._client.connect_async("127.0.0.1", port)
        self._client.loop_start()

    async def run(self, over: asyncio.Event) -> None:
        while not over.is_set():
            if not self.paused:
                self._publish()
            await asyncio.sleep(0.1)

    def _publish(self) -> None:
        asset, second, value = self._devices.reading()
        payload = json.dumps({"values": {_KEY: value}, "timestamp": second})
        topic = f"steward/{self._setup.organization}/{asset}/telemetry"
        # Not under our lock: the client has locks of its own, which it holds while it tells us of a confirmation.
        number = self._client.publish(topic, payload, qos=1).mid
        with self._lock:
            if number in self._early:
                self._early.discard(number)
                self._note((asset, second))
            else:
                self._under_way[number] = (asset, second)

    def _confirmed(self, _client: object, _data: object, number: int, *_more: object) -> None:
        with self._lock:
            if number in self._under_way:
                self._note(self._under_way.pop(number))
            else:
                self._early.add(number)

    def _note(self, reading: tuple[str, int]) -> None:
        (self._readings.unsure if self._at_risk else self._readings.acknowledged).add(reading)

    def put_at_risk(self, arrived: Set[tuple[str, int]]) -> None:
        """What has arrived is safe; nobody knows of the rest, and of what is confirmed until the risk ends."""
        with self._lock:
            self._readings.unsure |= self._readings.acknowledged - arrived
            self._readings.acknowledged &= arrived
            self._at_risk = True

    def end_risk(self) -> None:
        with self._lock:
            self._at_risk = False

    @property
    def waiting(self) -> int:
        return len(self._under_way)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()
