"""Readings per second over HTTP one by one, over HTTP in batches, and over MQTT; each beside the same floor."""

import argparse
import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from bench import processes, profiling, report
from bench.load import BrokenRunError, Sample, find_wrk
from bench.rounds import FLOOR, OURS, Contestant, compare
from bench.telemetry import running
from bench.telemetry.control import tell
from bench.telemetry.fleet import DeviceFleet
from bench.telemetry.load import (
    BATCHES,
    INSERTED,
    SINGLE,
    Kind,
    committed,
    run_wrk,
    updates,
    write_batches,
    write_singles,
)
from bench.telemetry.running import Stage

_LEARN_SECONDS = 4
_SETTLE_SECONDS = 1
_DRAIN_SECONDS = 60
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
    asyncio.run(running.tidy(stage.url))
    before = asyncio.run(committed(stage.url)).readings
    updates_before = asyncio.run(updates(stage.url))
    result = compare(
        name,
        {
            OURS: Contestant(ours, pids[0], stage.postgres_pid, pids[1:]),
            FLOOR: Contestant(floor, stage.floor_pid, stage.postgres_pid),
        },
        rounds=options.rounds,
        seconds=options.seconds,
    )
    found = asyncio.run(committed(stage.url)).readings - before
    least, most = ours.least + floor.least, ours.most + floor.most
    if not least <= found <= most:
        raise BrokenRunError(f"{least} to {most} readings were taken, but the history has {found}")
    print(report.table_rows(name, result), flush=True)
    updated, hot = (
        after - before for after, before in zip(asyncio.run(updates(stage.url)), updates_before, strict=True)
    )
    # Of both sides together: there is no telling whose they were, and the floor's all are.
    return {**report.as_json(result), "hot": round(hot / updated, 4)}


def _over_http(
    name: str,
    kind: Kind,
    write: Callable[[DeviceFleet, Path], None],
    stage: Stage,
    options: argparse.Namespace,
) -> dict[str, Any]:
    file = stage.folder / f"{name}.requests"
    file.touch(mode=0o600)
    write(stage.fleet, file)
    with running.service(stage.folder, stage.url, api_processes=options.api_processes) as service:
        load = partial(run_wrk, find_wrk(), service.port, file, kind)
        # A process that has just begun first has to learn the rules, and where each device's values go.
        load(_LEARN_SECONDS)
        tally = Tally(load, kind.connections * kind.readings)
        figures = _compare(name, stage, options, service.api_pids, tally)
        if options.profile:
            _profile(name, service.api_pids[0], load)
    return {name: {**figures, "api_processes": options.api_processes}}


def _profile(name: str, pid: int, load: Load) -> None:
    profiler = profiling.find_profiler()
    if profiler is None:
        print("no profile: py-spy is not on the PATH")
        return
    file = report.RESULTS / f"profile-{name}.txt"
    profiling.record(profiler, pid, load, file)
    print(f"profile of {name}: {file}")


def telemetry_single(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    return _over_http("telemetry_single", SINGLE, write_singles, stage, options)


def telemetry_batch(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    return _over_http("telemetry_batch", BATCHES, write_batches, stage, options)


@contextmanager
def _publisher(stage: Stage, broker_port: int) -> Iterator[int]:
    port = processes.any_free_port()
    words = ["bench.telemetry.publisher", str(broker_port), stage.url, str(stage.fleet_file), str(port)]
    with processes.running(words, stage.folder / "publisher.log"):
        running.await_control(port)
        yield port


def _count(stage: Stage) -> int:
    return asyncio.run(committed(stage.url)).readings


class Published:
    """The publisher under way for some seconds. The rate is taken in their midst, the cost over all of it."""

    def __init__(self, stage: Stage, port: int) -> None:
        self._stage = stage
        self._port = port
        # What was sent to find out whether anybody listens is not ours to count.
        self._sent = tell(port, "stop")["sent"]

    def __call__(self, seconds: int) -> Sample:
        before, inserted_before = _count(self._stage), self._inserted()
        tell(self._port, "start")
        try:
            processes.await_that(lambda: self._inserted() > inserted_before, "readings arrive")
            time.sleep(_SETTLE_SECONDS)
            begin = asyncio.run(committed(self._stage.url))
            time.sleep(seconds)
            end = asyncio.run(committed(self._stage.url))
        finally:
            total = tell(self._port, "stop")["sent"]
        sent, self._sent = total - self._sent, total
        # The broker has confirmed every one of them, so all must arrive.
        processes.await_that(
            lambda: _count(self._stage) >= before + sent, "all readings are stored", _DRAIN_SECONDS
        )
        rate = (end.readings - begin.readings) / (end.moment - begin.moment)
        return Sample(sent, int(sent * 1e6 / rate), 0, 0, 0, 0, 0)

    def _inserted(self) -> int:
        """Counting all would hold a snapshot again and again, and with it what updates want to reuse."""
        return asyncio.run(running.fetch_number(self._stage.url, INSERTED))


def _await_subscription(stage: Stage, port: int) -> None:
    """What is sent before the worker has subscribed goes nowhere, and nobody says when it has."""
    before = _count(stage)

    def arrives() -> bool:
        tell(port, "start")
        time.sleep(0.05)
        tell(port, "stop")
        return _count(stage) > before

    processes.await_that(arrives, "the worker has subscribed")
    seen = -1
    while (now := _count(stage)) != seen:
        seen = now
        time.sleep(_SETTLE_SECONDS)


def telemetry_mqtt(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    with (
        running.broker(stage.folder) as broker_port,
        running.service(
            stage.folder, stage.url, STEWARD_MQTT_URL=f"mqtt://127.0.0.1:{broker_port}"
        ) as service,
        _publisher(stage, broker_port) as port,
    ):
        _await_subscription(stage, port)
        tally = Tally(Published(stage, port))
        figures = _compare("telemetry_mqtt", stage, options, [service.worker_pid], tally)
    # There are no requests whose latency could be taken.
    return {"telemetry_mqtt": {name: value for name, value in figures.items() if name not in _LATENCIES}}
