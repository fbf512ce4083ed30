"""Readings per second over HTTP one by one, over HTTP in batches, and over MQTT; each beside the same floor."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import msgspec
from tests.support.broker import Mosquitto
from tests.support.waiting import wait_for

from bench import profiling, report
from bench.control import tell
from bench.databases import tidy
from bench.load import BrokenRunError, Sample, write_requests
from bench.rounds import FLOOR, OURS, Contestant, compare
from bench.scenario import Expected, Run, Scenario, Suite
from bench.telemetry.load import OVER_HTTP, committed, inserted, updates
from bench.telemetry.running import Stage, service, stage

# They share the port: one for each core here.
_API_PROCESSES = 2
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


def _compare(stage: Stage, run: Run, pids: Sequence[int], ours: Tally) -> dict[str, Any]:
    """Also holds what both sides counted against the history: neither may be credited with what isn't there."""
    server = stage.server
    floor = Tally(lambda seconds: msgspec.convert(tell(stage.floor_port, seconds), Sample))
    tidy(server.url)
    before, updates_before = committed(server.url).readings, updates(server.url)
    sides = {
        OURS: Contestant(ours, pids, server.postgres_pid),
        FLOOR: Contestant(floor, [stage.floor_pid], server.postgres_pid),
    }
    result = compare(run, sides)
    found = committed(server.url).readings - before
    least, most = ours.least + floor.least, ours.most + floor.most
    if not least <= found <= most:
        raise BrokenRunError(f"{least} to {most} readings were taken, but the history has {found}")
    updated, hot = (after - then for after, then in zip(updates(server.url), updates_before, strict=True))
    # Of both sides together: there is no telling whose they were, and the floor's all are.
    return {**report.shown(run.name, result), "hot": round(hot / updated, 4)}


def _over_http(stage: Stage, run: Run) -> dict[str, Any]:
    kind = OVER_HTTP[run.name]
    file = stage.server.private_file(f"{run.name}.requests")
    write_requests([*kind.requests(stage.fleet)], file)
    with service(stage.server, api_processes=_API_PROCESSES) as running:
        load = partial(kind.load, running.port, file)
        # A process that has just begun first has to learn the rules, and where each device's values go.
        load(_LEARN_SECONDS)
        figures = _compare(stage, run, running.api_pids, Tally(load, kind.connections * kind.readings))
        if run.profile:
            profiling.record(run.name, running.api_pids[0], load)
    return {**figures, "api_processes": _API_PROCESSES}


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
        return Sample(sent, int(sent * 1e6 / rate))


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


def _over_mqtt(stage: Stage, run: Run) -> dict[str, Any]:
    server = stage.server
    # Without persistence; it may hold as many messages as it likes.
    broker = Mosquitto(server.folder, "allow_anonymous true", "persistence false", log="information")
    with ExitStack() as stack:
        broker.start()
        stack.callback(broker.stop)
        running = stack.enter_context(service(server, STEWARD_MQTT_URL=broker.url))
        publisher = server.beside("bench.telemetry.publisher", broker.port, server.url, stage.fleet_file)
        port, _ = stack.enter_context(publisher)
        _await_subscription(stage, port)
        figures = _compare(stage, run, [running.worker_pid], Tally(Published(stage, port)))
    # There are no requests whose latency could be taken.
    return {name: value for name, value in figures.items() if name not in _LATENCIES}


SUITE = Suite(
    stage,
    {
        "telemetry_single": Scenario(_over_http, Expected(14, sides=2)),
        "telemetry_batch": Scenario(_over_http, Expected(14, sides=2)),
        "telemetry_mqtt": Scenario(_over_mqtt, Expected(14, per_round=6, sides=2)),
    },
    opening_seconds=31,
)
