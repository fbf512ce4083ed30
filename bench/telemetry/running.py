"""What a scenario of readings needs to have running."""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import asyncpg
import msgspec

from bench import processes
from bench.telemetry import control
from bench.telemetry.fleet import DeviceFleet, make_fleet
from bench.tenants import make_founder
from steward.settings import PREFIX
from steward.wiring.schema import migrate

# One key sends everything: its limit is counted, and never reached.
_SETTINGS = {f"{PREFIX}KEY_REQUESTS_PER_MINUTE": "1000000", f"{PREFIX}METRICS_ADDRESS": "off"}
_PARTITIONS = """SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'telemetry_recent'::regclass AND c.relname <> 'telemetry_recent_default'"""
_BROKER = """listener {port} 127.0.0.1
allow_anonymous true
persistence false
max_inflight_messages 0
max_queued_messages 0
log_type error
"""


class Service(msgspec.Struct, frozen=True):
    port: int
    api_pids: list[int]
    worker_pid: int


class Stage(msgspec.Struct, frozen=True):
    """What all scenarios share: the database, and a fleet of devices in it."""

    folder: Path
    url: str
    postgres_pid: int
    fleet: DeviceFleet
    fleet_file: Path
    floor_port: int
    floor_pid: int


class NoBrokerError(Exception):
    """Mosquitto is missing and we can't install it."""


@contextmanager
def stage(devices: int) -> Iterator[Stage]:
    with ExitStack() as stack:
        folder = stack.enter_context(processes.temporary_folder())
        url, postgres_pid = stack.enter_context(processes.fresh_postgres(folder))
        asyncio.run(migrate(url))
        # Before the service runs, which would have to hear of a new key.
        founder = asyncio.run(make_founder(url))
        with service(folder, url) as running:
            fleet = asyncio.run(make_fleet(url, running.port, founder, devices))
        file = folder / "fleet.json"
        file.touch(mode=0o600)  # it holds keys
        file.write_bytes(msgspec.json.encode(fleet))
        port = processes.any_free_port()
        words = ["bench.telemetry.floor", url, str(file), str(port)]
        floor = stack.enter_context(processes.running(words, folder / "floor.log"))
        await_control(port)
        yield Stage(folder, url, postgres_pid, fleet, file, port, floor.pid)


@contextmanager
def service(folder: Path, url: str, *, api_processes: int = 1, **settings: str) -> Iterator[Service]:
    """`steward worker` and `steward api`, ready when the history has partitions to write to.

    Several API processes share one port, as under `steward up`.
    """
    where = ["--data-dir", str(folder / "data"), "--database-url", url]
    settings = _SETTINGS | settings
    worker_log, api_log = folder / "worker.log", folder / "api.log"
    with ExitStack() as stack:
        worker = stack.enter_context(processes.running(["steward", "worker", *where], worker_log, **settings))
        port, api_pids = stack.enter_context(
            processes.running_apis(folder, url, api_log, api_processes, **settings)
        )
        try:
            processes.await_that(
                lambda: asyncio.run(fetch_number(url, _PARTITIONS)) > 0, "the history has partitions"
            )
        except processes.NotReadyError as error:
            said = [log.read_text(errors="replace")[-1000:] for log in (worker_log, api_log)]
            raise processes.NotReadyError("\n".join([str(error), *said])) from None
        yield Service(port, api_pids, worker.pid)


@contextmanager
def broker(folder: Path) -> Iterator[int]:
    """Mosquitto on a port of its own; it may hold as many messages as it likes."""
    program = find_mosquitto()
    port = processes.any_free_port()
    configuration = folder / "mosquitto.conf"
    configuration.write_text(_BROKER.format(port=port))
    with (folder / "mosquitto.log").open("ab") as log:
        process = subprocess.Popen([program, "-c", str(configuration)], stdout=log, stderr=log)
    try:
        yield port
    finally:
        process.terminate()
        process.wait()


def find_mosquitto() -> str:
    found = processes.find_program("mosquitto", "mosquitto")
    if found is None:
        raise NoBrokerError("mosquitto, the MQTT broker, is missing: install the package `mosquitto`")
    return found


def await_control(port: int) -> None:
    def answers() -> bool:
        try:
            control.tell(port)
        except OSError:
            return False
        return True

    processes.await_that(answers, "the process answers")


async def fetch_number(url: str, statement: str, *args: object) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval(statement, *args))
    finally:
        await connection.close()


async def tidy(url: str) -> None:
    """What one scenario left behind must not be tidied up in the middle of the next."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("VACUUM (ANALYZE)")
        await connection.execute("CHECKPOINT")
    finally:
        await connection.close()
