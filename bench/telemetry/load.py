"""Readings as requests for wrk, and how many of them are in the history."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from tests.support.databases import fetch, run_commands

from bench.load import Request, Sample, run_wrk
from bench.telemetry.fleet import BATCH, DeviceFleet, batches, readings

# A folded hour holds each second of a series once, and so does what the floor and ours write here.
_COMMITTED = """SELECT extract(epoch FROM statement_timestamp())::float8,
                       (SELECT count(*) FROM telemetry_recent)
                       + (SELECT coalesce(sum(cardinality(times)), 0) FROM telemetry_hours)"""


# Cheap, and late by a second or so: a backend publishes its counters now and then.
INSERTED = """SELECT coalesce(sum(pg_stat_get_tuples_inserted(inhrelid)), 0)::bigint FROM pg_inherits
              WHERE inhparent = 'telemetry_recent'::regclass"""
_UPDATES = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'assets'"


class Kind(msgspec.Struct, frozen=True):
    """How readings are sent: connections that each wait for their answer, readings in one request, and the requests."""

    connections: int
    readings: int
    requests: Callable[[DeviceFleet], Iterator[Request]]

    def load(self, port: int, file: Path, seconds: float) -> Sample:
        """What wrk saw, counted in readings."""
        sample = run_wrk(port, file, seconds, self.connections)
        return msgspec.structs.replace(sample, requests=sample.requests * self.readings)


def _singles(fleet: DeviceFleet) -> Iterator[Request]:
    for sent in readings(fleet):
        path = f"/organizations/{fleet.tenant}/assets/{sent.device.id}/telemetry"
        yield Request("POST", path, {"X-API-Key": fleet.device_key}, b'{"values":%s}' % sent.json())


def _batches(fleet: DeviceFleet) -> Iterator[Request]:
    path = f"/organizations/{fleet.tenant}/telemetry"
    for batch in batches(fleet):
        items = [b'{"assetId":"%s","values":%s}' % (one.device.id.encode(), one.json()) for one in batch]
        yield Request("POST", path, {"X-API-Key": fleet.device_key}, b'{"readings":[%s]}' % b",".join(items))


# By scenario.
OVER_HTTP = {
    "telemetry_single": Kind(256, 1, _singles),
    "telemetry_batch": Kind(24, BATCH, _batches),
}


class Committed(msgspec.Struct, frozen=True):
    """How many readings the history held at a moment: that of the snapshot, however long counting them took."""

    moment: float
    readings: int


def committed(url: str) -> Committed:
    # Counting must not take the second core from what is measured.
    counted = run_commands(url, "SET max_parallel_workers_per_gather = 0", _COMMITTED)
    [[moment, count]] = asyncio.run(counted)
    return Committed(moment, int(count))


def updates(url: str) -> tuple[int, int]:
    """Updates of assets so far, and how many of them touched no index."""
    [[total, hot]] = fetch(url, _UPDATES)
    return int(total), int(hot)


def inserted(url: str) -> int:
    """Counting all would hold a snapshot again and again, and with it what updates want to reuse."""
    return int(fetch(url, INSERTED)[0][0])
