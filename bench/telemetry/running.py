"""What a scenario of readings needs to have running."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from tests.support.databases import fetch
from tests.support.waiting import wait_for

from bench.processes import Server, find_program, fresh_server
from bench.telemetry.fleet import DeviceFleet, make_fleet
from bench.tenants import make_founder

# One key sends everything: its limit is counted, and never reached.
_SETTINGS = {"STEWARD_KEY_REQUESTS_PER_MINUTE": "1000000", "STEWARD_METRICS_ADDRESS": "off"}
_PARTITIONS = """SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'telemetry_recent'::regclass AND c.relname <> 'telemetry_recent_default'"""


class Service(msgspec.Struct, frozen=True):
    port: int
    api_pids: list[int]
    worker_pid: int


class Stage(msgspec.Struct, frozen=True):
    """What all scenarios share: the database, and a fleet of devices in it."""

    server: Server
    fleet: DeviceFleet
    fleet_file: Path
    floor_port: int
    floor_pid: int


@contextmanager
def stage() -> Iterator[Stage]:
    find_program("mosquitto")
    with fresh_server() as server:
        # Before the service runs, which would have to be notified of a new key.
        founder = asyncio.run(make_founder(server.url))
        with service(server) as running:
            fleet = asyncio.run(make_fleet(server.url, running.port, founder))
        file = server.private_file("fleet.json", msgspec.json.encode(fleet))
        with server.beside("bench.telemetry.floor", server.url, file) as (port, pid):
            yield Stage(server, fleet, file, port, pid)


@contextmanager
def service(server: Server, *, api_processes: int = 1, **settings: str) -> Iterator[Service]:
    """`steward worker` and `steward api`, ready when the history has partitions to write to."""
    settings = _SETTINGS | settings
    with server.worker(**settings) as worker, server.apis(api_processes, **settings) as (port, api_pids):
        wait_for("partitions of the history", lambda: fetch(server.url, _PARTITIONS)[0][0] > 0)
        yield Service(port, api_pids, worker.pid)
