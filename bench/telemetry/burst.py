"""Ten times more than can be stored, for a minute: what is refused, what others notice, and that nothing taken is lost."""

import argparse
import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import msgspec

from bench import processes
from bench.load import BrokenRunError, find_wrk
from bench.resident import MemoryWatch, resident_mib
from bench.telemetry import running
from bench.telemetry.control import tell
from bench.telemetry.fleet import readings
from bench.telemetry.flood import Outcome, batches_of_a_pass
from bench.telemetry.load import BATCH, BATCHES, run_wrk, write_batches
from bench.telemetry.running import Service, Stage
from bench.telemetry.watching import Caller

_TIMES_CAPACITY = 10
_QUIET_SECONDS = 5
# Readings of the burst bear timestamps of their own, newer than what the devices have sent before.
_AGO_SECONDS = 7200
_HOUR_SECONDS = 3600

# In the order in which everybody locks them: what came before may still be being stored.
_SET_BACK = """UPDATE assets SET last_seen = $2 FROM (
                   SELECT id AS held FROM assets WHERE organization_id = $1 ORDER BY id FOR NO KEY UPDATE) locked
               WHERE organization_id = $1 AND id = locked.held"""
_ACKNOWLEDGED = "CREATE TEMPORARY TABLE acknowledged (series integer, at bigint)"
# Whether the hour of their arrival has been folded meanwhile or not.
_LOST = """SELECT count(*) FROM (
               SELECT series, at FROM acknowledged
               EXCEPT SELECT series, arrived::bigint * $3 + second FROM telemetry_recent
               EXCEPT SELECT series, hour::bigint * $3 + t FROM telemetry_hours, unnest(times) t
                      WHERE hour BETWEEN $1 / $3 AND $2 / $3
           ) lost"""


def telemetry_burst(stage: Stage, options: argparse.Namespace) -> dict[str, Any]:
    file = stage.folder / "telemetry_burst.requests"
    file.touch(mode=0o600)
    write_batches(stage.fleet, file)
    with running.service(stage.folder, stage.url) as service, _flood(stage, service) as port:
        capacity = run_wrk(find_wrk(), service.port, file, BATCHES, options.seconds).per_second
        first = int(time.time()) - _AGO_SECONDS
        asyncio.run(_set_back(stage, first - 1))
        figures, outcome = _overload(stage, service, port, options, capacity, first)
    figures["acknowledged_lost"] = asyncio.run(_count_lost(stage, outcome, first))
    _tell_about(figures)
    if figures["acknowledged_lost"]:
        raise BrokenRunError(f"{figures['acknowledged_lost']} readings were acknowledged and are not there")
    return {"telemetry_burst": figures}


@contextmanager
def _flood(stage: Stage, service: Service) -> Iterator[int]:
    port = processes.any_free_port()
    words = ["bench.telemetry.flood", str(service.port), str(stage.fleet_file), str(port)]
    with processes.running(words, stage.folder / "flood.log"):
        running.await_control(port)
        yield port


def _overload(
    stage: Stage, service: Service, port: int, options: argparse.Namespace, capacity: float, first: int
) -> tuple[dict[str, Any], Outcome]:
    quiet = _ask_beside(stage, service, lambda: time.sleep(_QUIET_SECONDS))
    memory = MemoryWatch(service.api_pids[0])
    memory.start()
    pace = capacity * _TIMES_CAPACITY / BATCH
    said: list[Any] = []
    meanwhile = _ask_beside(
        stage, service, lambda: said.append(tell(port, f"{options.burst_seconds},{pace},{first}"))
    )
    memory.end()
    outcome = msgspec.convert(said[0], Outcome)
    time.sleep(_QUIET_SECONDS)
    taken = len(outcome.acknowledged) * BATCH
    figures = {
        "ours": round(taken / outcome.seconds),
        "capacity": round(capacity),
        "offered": round(outcome.offered * BATCH / outcome.seconds),
        "seconds": round(outcome.seconds, 1),
        "answers": outcome.answers,
        "acknowledged": taken,
        "rss_mib": {"before": memory.before, "peak": memory.peak, "after": resident_mib(service.api_pids[0])},
        "quiet": quiet,
        "meanwhile": meanwhile,
    }
    return figures, outcome


def _ask_beside(stage: Stage, service: Service, work: Any) -> dict[str, dict[str, float]]:
    fleet = stage.fleet
    asset = f"/organizations/{fleet.tenant}/assets/{fleet.devices[0].id}"
    callers = {
        "health": Caller(service.port, "/health/live"),
        "asset": Caller(service.port, asset, fleet.founder_key),
    }
    for caller in callers.values():
        caller.start()
    work()
    return {name: caller.end() for name, caller in callers.items()}


async def _set_back(stage: Stage, last_seen: int) -> None:
    """So that what comes is the newest of each device, and has the rules and the asset to go through."""
    connection = await asyncpg.connect(stage.url)
    try:
        await connection.execute(_SET_BACK, stage.fleet.tenant, last_seen)
    finally:
        await connection.close()
    await running.tidy(stage.url)


async def _count_lost(stage: Stage, outcome: Outcome, first: int) -> int:
    order = [sent.device.series for sent in readings(stage.fleet)]
    a_pass = batches_of_a_pass(stage.fleet)
    last = first + outcome.offered // a_pass
    rows = (
        (series, first + number // a_pass)
        for number in outcome.acknowledged
        for series in order[number * BATCH % len(order) : number * BATCH % len(order) + BATCH]
    )
    connection = await asyncpg.connect(stage.url)
    try:
        await connection.execute(_ACKNOWLEDGED)
        await connection.copy_records_to_table("acknowledged", records=rows)
        return int(await connection.fetchval(_LOST, first, last, _HOUR_SECONDS))
    finally:
        await connection.close()


def _tell_about(figures: dict[str, Any]) -> None:
    rss, asked = figures["rss_mib"], figures["meanwhile"]
    print(
        f"telemetry_burst: {figures['offered']:,}/s offered for {figures['seconds']} s where {figures['capacity']:,}/s "
        f"can be stored; {figures['ours']:,}/s taken, answers {figures['answers']}; "
        f"{figures['acknowledged_lost']} of {figures['acknowledged']:,} acknowledged readings lost; "
        f"RSS {rss['before']} MiB, at most {rss['peak']}, {rss['after']} afterwards; "
        + "; ".join(f"{name} p99 {one['p99']} ms, {one['failures']} failed" for name, one in asked.items()),
        flush=True,
    )
