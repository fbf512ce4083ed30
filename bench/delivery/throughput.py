"""Deliveries a second while more are due than can be done."""

import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

import msgspec
from tests.support.databases import fetch
from tests.support.waiting import wait_for

from bench import peer_processes, report
from bench.control import tell
from bench.databases import make_database
from bench.delivery.running import KEY, Stage, stage
from bench.delivery.tenants import drop_waiting, make_tenants, queue
from bench.load import BrokenRunError, Sample
from bench.rounds import FLOOR, OURS, PEER, Contestant, compare
from bench.scenario import Expected, Run, Scenario, Suite

_SETTLE_SECONDS = 2
# More than any machine we know delivers in a second.
_FASTEST, _FASTEST_PEER = 8000, 1200
_NEARLY_ALL = 0.98
_PEER_LEARNS_SECONDS = 2


class Sender(msgspec.Struct, frozen=True):
    """Who delivers from a database: tenants there, processes, and how it starts and stops."""

    stage: Stage
    url: str
    tenants: list[str]
    pids: list[int]
    leave_off: Callable[[], None]
    begin: Callable[[], None] = lambda: None
    fastest: int = _FASTEST
    # CPU of the processes and of PostgreSQL per delivery, in microseconds, one pair per sample.
    costs: list[tuple[float, float]] = msgspec.field(default_factory=list)

    def contestant(self) -> Contestant:
        return Contestant(self.deliver_for, self.pids, self.stage.server.postgres_pid)

    def deliver_for(self, seconds: float) -> Sample:
        """Queues more than can be done in the time, and counts what arrives from the first on."""
        cpu_seconds = self.contestant().cpu_seconds
        at_first, queued = self.stage.arrived(), int((seconds + 1) * self.fastest)
        asyncio.run(queue(self.url, self.tenants, queued))
        self.begin()
        before, began_ms = self.stage.arrived(), int(time.time() * 1000)
        wait_for("deliveries", lambda: self.stage.arrived() > before)
        start, first, spent = time.monotonic(), self.stage.arrived(), cpu_seconds()
        time.sleep(seconds)
        done, took = self.stage.arrived() - first, time.monotonic() - start
        own, postgres = (after - before for after, before in zip(cpu_seconds(), spent, strict=True))
        if self.stage.arrived() - at_first > queued * _NEARLY_ALL:
            raise BrokenRunError("there was less to deliver than could be done")
        self.leave_off()
        time.sleep(1)  # what is under way is finished before the next begins
        self.costs.append((own * 1e6 / done, postgres * 1e6 / done))
        return Sample(done, int(took * 1e6), 0, 0, *_durations(self.url, began_ms))


def _durations(url: str, since_ms: int) -> list[int]:
    """Of the requests as the sender noted them, in microseconds."""
    [[shares]] = fetch(
        url,
        """SELECT percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration_ms)
           FROM delivery_attempts WHERE started >= $1""",
        since_ms,
    )
    return [share * 1000 for share in shares]


def _our_sender(stage: Stage, pid: int) -> Sender:
    url = stage.server.url
    tenants = asyncio.run(make_tenants(url, KEY, f"{stage.endpoint}/ok"))
    return Sender(stage, url, tenants, [pid], lambda: asyncio.run(drop_waiting(url)))


def _peer_sender(stage: Stage, stack: ExitStack) -> Sender:
    """In a database of its own, so that our worker doesn't take what is meant for it."""
    url = asyncio.run(make_database(stage.server.url, "peer"))
    tenants = asyncio.run(make_tenants(url, None, f"{stage.endpoint}/ok"))
    tasks = stack.enter_context(peer_processes.running_task_queue(stage.server, url))
    fill, empty = partial(tasks.tell, "fill"), partial(tasks.tell, "empty")
    peer = Sender(stage, url, tenants, [tasks.pid, tasks.redis_pid], empty, fill, _FASTEST_PEER)
    # Its processes compile and prepare what they need when they first need it.
    peer.deliver_for(_PEER_LEARNS_SECONDS)
    peer.costs.clear()
    return peer


def deliver(stage: Stage, run: Run) -> dict[str, Any]:
    with ExitStack() as stack:
        worker = stack.enter_context(stage.worker())
        floor = stage.server.beside("bench.delivery.floor", stage.receiver_port)
        port, floor_pid = stack.enter_context(floor)
        senders = {OURS: _our_sender(stage, worker.pid)}
        with peer_processes.said_when_missing():
            senders[PEER] = _peer_sender(stage, stack)
        time.sleep(_SETTLE_SECONDS)

        def post_for(seconds: float) -> Sample:
            return msgspec.convert(tell(port, seconds), Sample)

        sides = {side: sender.contestant() for side, sender in senders.items()}
        sides[FLOOR] = Contestant(post_for, [floor_pid], stage.server.postgres_pid)
        result = compare(run, {side: sides[side] for side in (OURS, FLOOR, PEER) if side in sides})
    for side, sender in senders.items():
        # What queueing cost is not what delivering costs: these were taken while deliveries ran, warm-ups left out.
        own, postgres = zip(*sender.costs[1::2], strict=True)
        figures = result.sides[side]
        figures.cpu_us, figures.postgres_us = statistics.median(own), statistics.median(postgres)
    return report.shown(run.name, result)


SUITE = Suite(stage, {"deliver": Scenario(deliver, Expected(24, per_round=16, sides=3))})
