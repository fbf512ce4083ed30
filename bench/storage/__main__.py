"""`python -m bench.storage [--devices N] [--hours N]`: what a point of history takes, before it is folded and after.

Bytes are those of whole tables with their indexes, by PostgreSQL's own account, right after folding and without tidying up
behind it. The same reads before and after must give the same.
"""

import argparse
import asyncio
import sys
import time
from typing import Any

import asyncpg
import msgspec

from bench.command_line import run
from bench.load import BrokenRunError
from bench.processes import Server, fresh_server
from bench.progress import Expected
from bench.storage.devices import POINTS, make_devices, report
from steward.kit.db.partitions import HOUR_SECONDS, make_partitions
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.security.caller import SOME_TENANT
from steward.telemetry import actions
from steward.telemetry.jobs import keep_history
from steward.telemetry.model import HistoryQuery

EXPECTED = {"storage": Expected(25)}
_SAMPLE = 50
_RETENTION_DAYS = 400
_SIZE = """SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
           JOIN pg_inherits i ON i.inhrelid = c.oid WHERE i.inhparent = $1::regclass AND c.reltuples <> 0"""


async def _size(connection: asyncpg.Connection, table: str) -> int:
    """Of the partitions that hold anything: empty ones are made ahead whatever comes."""
    await connection.execute(f"ANALYZE {table}")
    return int(await connection.fetchval(_SIZE, table))


async def _read(pool: Pool, assets: list[str], begin: int, end: int) -> list[bytes]:
    """Finely and coarsely, over the whole time and over some minutes of it."""
    windows = [(begin, end, 2000), (begin, end, 7), (begin + 3000, begin + 4200, 2000)]
    return [
        msgspec.json.encode(
            await actions.read_history(
                pool, SOME_TENANT, asset_id, HistoryQuery(from_=start, to=until, resolution=points), end
            )
        )
        for asset_id in assets
        for start, until, points in windows
    ]


async def _timed_read(pool: Pool, assets: list[str], begin: int, end: int) -> tuple[list[bytes], float]:
    await _read(pool, assets, begin, end)  # what is compiled and cached on the first time
    started = time.monotonic()
    found = await _read(pool, assets, begin, end)
    return found, (time.monotonic() - started) * 1000 / len(found)


async def _measure(url: str, devices: int, hours: int) -> dict[str, Any]:
    connection, pool = await asyncpg.connect(url), Pool(url, 2, seconds=600)
    # Hours to come, since partitions are made for these only.
    begin = (clock.now() // HOUR_SECONDS + 1) * HOUR_SECONDS
    end = begin + hours * HOUR_SECONDS
    await make_partitions(connection, begin)
    assets = await make_devices(connection, devices)
    points = POINTS * await report(connection, devices, begin, hours)
    fresh = await _size(connection, "telemetry_recent")
    sample = assets[:: max(1, devices // _SAMPLE)]
    before, fresh_ms = await _timed_read(pool, sample, begin - 60, end)
    started = time.monotonic()
    await keep_history(url, end + HOUR_SECONDS, _RETENTION_DAYS)
    took = time.monotonic() - started
    folded = await _size(connection, "telemetry_hours")
    after, folded_ms = await _timed_read(pool, sample, begin - 60, end)
    left = await connection.fetchval("SELECT count(*) FROM telemetry_recent")
    await pool.close()
    await connection.close()
    if before != after or left:
        raise BrokenRunError("history shows something else after folding, or isn't folded")
    return {
        "devices": devices,
        "hours": hours,
        "points": points,
        "fresh_bytes_per_point": round(fresh / points, 2),
        "folded_bytes_per_point": round(folded / points, 2),
        "fold_readings_per_second": round(points / POINTS / took),
        "read_fresh_ms": round(fresh_ms, 2),
        "read_folded_ms": round(folded_ms, 2),
    }


def storage(server: Server, options: argparse.Namespace) -> dict[str, Any]:
    return {"storage": asyncio.run(_measure(server.url, options.devices, options.hours))}


SCENARIOS = {"storage": storage}

if __name__ == "__main__":
    devices = {"type": int, "default": 1000}
    hours = {"type": int, "default": 2, "help": "up to 40"}
    sys.exit(run("bench.storage", SCENARIOS, lambda _options: fresh_server(), devices=devices, hours=hours))
