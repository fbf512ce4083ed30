"""Readings as requests for wrk, and how many of them are in the history."""

import random
import subprocess
from itertools import islice
from pathlib import Path

import asyncpg
import msgspec

from bench.load import BrokenRunError, Sample, write_requests
from bench.scenario import Request
from bench.telemetry.fleet import DeviceFleet, readings

BATCH = 100
_SCRIPT = Path(__file__).parents[1] / "rotate.lua"
_MARK = "measured "

# A folded hour holds each second of a series once, and so does what the floor and ours write here.
_COMMITTED = """SELECT extract(epoch FROM statement_timestamp())::float8,
                       (SELECT count(*) FROM telemetry_recent)
                       + (SELECT coalesce(sum(cardinality(times)), 0) FROM telemetry_hours)"""


# Cheap, and late by a second or so: what a connection has done is told to others now and then.
INSERTED = """SELECT coalesce(sum(pg_stat_get_tuples_inserted(inhrelid)), 0)::bigint FROM pg_inherits
              WHERE inhparent = 'telemetry_recent'::regclass"""
_UPDATES = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'assets'"


class Kind(msgspec.Struct, frozen=True):
    """How readings are sent: connections that each wait for their answer, and readings in one request."""

    connections: int
    readings: int


SINGLE = Kind(connections=256, readings=1)
BATCHES = Kind(connections=24, readings=BATCH)


def write_singles(fleet: DeviceFleet, file: Path) -> None:
    here = f"/organizations/{fleet.tenant}/assets"
    write_requests(
        [
            Request(
                "POST", f"{here}/{sent.device.id}/telemetry", fleet.device_key, b'{"values":%s}' % sent.json()
            )
            for sent in readings(fleet)
        ],
        file,
    )


def write_batches(fleet: DeviceFleet, file: Path) -> None:
    path = f"/organizations/{fleet.tenant}/telemetry"
    sent = readings(fleet)
    requests = []
    while batch := list(islice(sent, BATCH)):
        items = [b'{"assetId":"%s","values":%s}' % (one.device.id.encode(), one.json()) for one in batch]
        requests.append(Request("POST", path, fleet.device_key, b'{"readings":[%s]}' % b",".join(items)))
    write_requests(requests, file)


def run_wrk(wrk: str, port: int, file: Path, kind: Kind, seconds: float) -> Sample:
    """What wrk saw, counted in readings."""
    # Begun anywhere, so that the next round isn't about the same devices.
    begin = random.randrange(1_000_000)
    command = [wrk, "--threads", "1", "--connections", str(kind.connections), "--duration", f"{seconds}s"]
    command += ["--timeout", "10s", "--script", str(_SCRIPT), f"http://127.0.0.1:{port}", "--"]
    output = subprocess.run(
        [*command, str(file), str(begin)], check=True, capture_output=True, text=True
    ).stdout
    line = next((line for line in output.splitlines() if line.startswith(_MARK)), None)
    if line is None:
        raise BrokenRunError(f"wrk measured nothing: {output.strip()}")
    sample = msgspec.json.decode(line.removeprefix(_MARK), type=Sample)
    if sample.refused or sample.broken or not sample.requests:
        raise BrokenRunError(
            f"{sample.refused} of {sample.requests} answers were not 2xx, {sample.broken} connections broke"
        )
    return msgspec.structs.replace(sample, requests=sample.requests * kind.readings)


class Committed(msgspec.Struct, frozen=True):
    """How many readings the history held at a moment: that of the snapshot, however long counting them took."""

    moment: float
    readings: int


async def committed(url: str) -> Committed:
    connection = await asyncpg.connect(url)
    try:
        # Counting must not take the second core from what is measured.
        await connection.execute("SET max_parallel_workers_per_gather = 0")
        moment, count = await connection.fetchrow(_COMMITTED)
        return Committed(moment, int(count))
    finally:
        await connection.close()


async def updates(url: str) -> tuple[int, int]:
    """Updates of assets so far, and how many of them touched no index."""
    connection = await asyncpg.connect(url)
    try:
        total, hot = await connection.fetchrow(_UPDATES)
        return int(total), int(hot)
    finally:
        await connection.close()
