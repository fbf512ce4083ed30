"""Deliveries a second while more are due than can be done."""

import argparse
import asyncio
import statistics
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import msgspec
from tests.support.databases import fetch
from tests.support.waiting import wait_for

from bench import cpu, peer_processes, report
from bench.control import tell
from bench.databases import make_database
from bench.delivery.running import KEY, Stage, stage
from bench.delivery.tenants import TENANTS, WEBHOOKS_EACH, drop_waiting, make_tenants, queue
from bench.load import BrokenRunError, Sample
from bench.rounds import FLOOR, OURS, PEER, Contestant, Result, compare

SETTLE_SECONDS = 2
# More than any machine we know delivers in a second.
_FASTEST, _FASTEST_PEER = 8000, 1200
_NEARLY_ALL = 0.98
_PEER_LEARNS_SECONDS = 2


class Sender(msgspec.Struct, frozen=True):
    """Who delivers from a database: tenants there, processes, and how it starts and stops."""

    stage: Stage
    url: str
    tenants: list[str]
    each: int
    pids: list[int]
    fastest: int = _FASTEST
    begin: Callable[[], None] = lambda: None
    leave_off: Callable[[], None] = lambda: None
    # CPU of the processes and of PostgreSQL per delivery, in microseconds, one pair per sample.
    costs: list[tuple[float, float]] = msgspec.field(default_factory=list)

    def deliver_for(self, seconds: float) -> Sample:
        """Queues more than can be done in the time, and counts what arrives from the first on."""
        at_first, queued = self.stage.arrived(), int((seconds + 1) * self.fastest)
        asyncio.run(queue(self.url, self.tenants, queued, each=self.each))
        self.begin()
        before, began_ms = self.stage.arrived(), int(time.time() * 1000)
        wait_for("deliveries", lambda: self.stage.arrived() > before)
        start, first, spent = time.monotonic(), self.stage.arrived(), self._cpu()
        time.sleep(seconds)
        done, took = self.stage.arrived() - first, time.monotonic() - start
        own, postgres = (after - before for after, before in zip(self._cpu(), spent, strict=True))
        if self.stage.arrived() - at_first > queued * _NEARLY_ALL:
            raise BrokenRunError("there was less to deliver than could be done")
        self.leave_off()
        time.sleep(1)  # what is under way is finished before the next begins
        self.costs.append((own * 1e6 / done, postgres * 1e6 / done))
        return Sample(done, int(took * 1e6), 0, 0, *_durations(self.url, began_ms))

    def _cpu(self) -> tuple[float, float]:
        own = sum(map(cpu.seconds_of_family, self.pids))
        return own, cpu.seconds_of_family(self.stage.server.postgres_pid)

    def contestant(self) -> Contestant:
        return Contestant(self.deliver_for, self.pids[0], self.stage.server.postgres_pid, self.pids[1:])


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
    made = asyncio.run(make_tenants(url, KEY, f"{stage.endpoint}/ok", TENANTS, WEBHOOKS_EACH))
    leave_off = lambda: asyncio.run(drop_waiting(url))  # noqa: E731 (it is one line of a value)
    return Sender(stage, url, made, WEBHOOKS_EACH, [pid], leave_off=leave_off)


def _peer_sender(stage: Stage, stack: ExitStack) -> Sender:
    """In a database of its own, so that our worker doesn't take what is meant for it."""
    url = asyncio.run(make_database(stage.server.url, "peer"))
    tenants = asyncio.run(make_tenants(url, None, f"{stage.endpoint}/ok", TENANTS, WEBHOOKS_EACH))
    tasks = stack.enter_context(peer_processes.running_task_queue(stage.server, url))
    pids = [tasks.pid, tasks.redis_pid]
    peer = Sender(stage, url, tenants, WEBHOOKS_EACH, pids, _FASTEST_PEER, tasks.fill, tasks.empty)
    # Its processes compile and prepare what they need when they first need it.
    peer.deliver_for(_PEER_LEARNS_SECONDS)
    peer.costs.clear()
    return peer


def deliver(_stage: None, options: argparse.Namespace) -> dict[str, Any]:
    with ExitStack() as stack:
        here = stack.enter_context(stage())
        worker = stack.enter_context(here.worker())
        floor = here.server.beside("bench.delivery.floor", here.receiver_port)
        port, floor_pid = stack.enter_context(floor)
        senders = {OURS: _our_sender(here, worker.pid)}
        try:
            senders[PEER] = _peer_sender(here, stack)
        except peer_processes.NoPeerError as error:
            print(f"no peer: {error}", flush=True)
        time.sleep(SETTLE_SECONDS)

        def post_for(seconds: float) -> Sample:
            return msgspec.convert(tell(port, seconds), Sample)

        sides = {side: sender.contestant() for side, sender in senders.items()}
        sides[FLOOR] = Contestant(post_for, floor_pid, here.server.postgres_pid)
        ordered = {side: sides[side] for side in (OURS, FLOOR, PEER) if side in sides}
        result = compare("deliver", ordered, rounds=options.rounds, seconds=options.seconds)
    for side, sender in senders.items():
        _note_costs(result, side, sender)
    return {"deliver": report.shown("deliver", result)}


def _note_costs(result: Result, side: str, sender: Sender) -> None:
    """What queueing cost is not what delivering costs: these were taken while deliveries ran, warm-ups left out."""
    measured = sender.costs[1::2]
    figures = result.sides[side]
    figures.cpu_us = statistics.median(own for own, _ in measured)
    figures.postgres_us = statistics.median(postgres for _, postgres in measured)
