"""Readings per second over HTTP one by one, over HTTP in batches, and over MQTT; each beside the same floor."""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from tests.support.waiting import wait_for

from bench import profiling, report
from bench.control import tell
from bench.databases import tidy
from bench.load import BrokenRunError, Sample
from bench.rounds import FLOOR, OURS, Contestant, compare
from bench.telemetry import running
from bench.telemetry.fleet import DeviceFleet
from bench.telemetry.load import (
    BATCHES,
    SINGLE,
    Kind,
    committed,
    count_readings,
    inserted,
    updates,
    write_batches,
    write_singles,
)
from bench.telemetry.running import Stage

_LEARN_SECONDS = 4
_SETTLE_SECONDS = 1
_LATENCIES = ("p50", "p95", "p99")

Load = Callable[[int], Sample]


class Tally:
    """Runs a load and remembers how many readings it counted, and how many more may have been under way when it ended."""

    def __init__(self, load: Load, under_way: int = 0) -> None:
        self._load = load
        self._under_way = under_way
        self.least = 0
        self.most = 0

    def __call__(self, seconds: int) -> Sample:
        sample = self._load(seconds)
        self.least += sample.requests
        self.most += sample.requests + self._under_way
        return sample


def _compare(
    name: str, stage: Stage, options: argparse.Namespace, pids: Sequence[int], ours: Tally
) -> dict[str, Any]:
    """Also holds what both sides counted against the history: neither may be credited with what isn't there."""
    floor = Tally(lambda seconds: msgspec.convert(tell(stage.floor_port, seconds), Sample))
    tidy(stage.server.url)
    before = committed(stage.server.url).readings
    updates_before = updates(stage.server.url)
    result = compare(
        name,
        {
            OURS: Contestant(ours, pids[0], stage.server.postgres_pid, pids[1:]),
            FLOOR: Contestant(floor, stage.floor_pid, stage.server.postgres_pid),
        },
        rounds=options.rounds,
        seconds=options.seconds,
    )
    found = committed(stage.server.url).readings - before
    least, most = ours.least + floor.least, ours.most + floor.most
    if not least <= found <= most:
        raise BrokenRunError(f"{least} to {most} readings were taken, but the history has {found}")
    updated, hot = (
        after - before for after, before in zip(updates(stage.server.url), updates_before, strict=True)
    )
    # Of both sides together: there is no telling whose they were, and the floor's all are.
    return {**report.shown(name, result), "hot": round(hot / updated, 4)}


def _over_http(
    name: str,
    kind: Kind,
    write: Callable[[DeviceFleet, Path], None],
    stage: Stage,
    options: argparse.Namespace,
) -> dict[str, Any]:
    file = stage.server.private_file(f"{name}.requests")
    write(stage.fleet, file)
    with running.service(stage.server, api_processes=options.api_processes) as service:
        load = partial(count_readings, service.port, file, kind)
        # A process that has just begun first has to learn the rules, and where each device's values go.
        load(_LEARN_SECONDS)
        tally = Tally(load, kind.connections * kind.readings)
        figures = _compare(name, stage, options, service.api_pids, tally)
        if options.profile:
            profiling.record(name, service.api_pids[0], load)
    return {name: {**figures, "api_processes": options.api_processes}}


def telemetry_single(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    return _over_http("telemetry_single", SINGLE, write_singles, stage, options)


def telemetry_batch(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    return _over_http("telemetry_batch", BATCHES, write_batches, stage, options)


class Published:
    """The publisher under way for some seconds. The rate is taken in their midst, the cost over all of it."""

    def __init__(self, stage: Stage, port: int) -> None:
        self._stage = stage
        self._port = port
        # What was sent to find out whether the worker has subscribed does not count.
        self._sent = tell(port, "stop")["sent"]

    def __call__(self, seconds: int) -> Sample:
        url = self._stage.server.url
        before, inserted_before = committed(url).readings, inserted(url)
        tell(self._port, "start")
        try:
            wait_for("readings", lambda: inserted(url) > inserted_before)
            time.sleep(_SETTLE_SECONDS)
            begin = committed(url)
            time.sleep(seconds)
            end = committed(url)
        finally:
            total = tell(self._port, "stop")["sent"]
        sent, self._sent = total - self._sent, total
        # The broker has confirmed every one of them, so all must arrive.
        wait_for("storing of all readings", lambda: committed(url).readings >= before + sent)
        rate = (end.readings - begin.readings) / (end.moment - begin.moment)
        return Sample(sent, int(sent * 1e6 / rate), 0, 0, 0, 0, 0)


def _await_subscription(stage: Stage, port: int) -> None:
    """The broker drops what is sent before the worker has subscribed."""
    url = stage.server.url
    before = committed(url).readings

    def arrives() -> bool:
        tell(port, "start")
        time.sleep(0.05)
        tell(port, "stop")
        return committed(url).readings > before

    wait_for("a subscription of the worker", arrives)
    seen = -1
    while (now := committed(url).readings) != seen:
        seen = now
        time.sleep(_SETTLE_SECONDS)


def telemetry_mqtt(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    server = stage.server
    with (
        running.broker(server.folder) as broker,
        running.service(server, STEWARD_MQTT_URL=broker.url) as service,
        server.beside("bench.telemetry.publisher", broker.port, server.url, stage.fleet_file) as (port, _),
    ):
        _await_subscription(stage, port)
        tally = Tally(Published(stage, port))
        figures = _compare("telemetry_mqtt", stage, options, [service.worker_pid], tally)
    # There are no requests whose latency could be taken.
    return {"telemetry_mqtt": {name: value for name, value in figures.items() if name not in _LATENCIES}}
