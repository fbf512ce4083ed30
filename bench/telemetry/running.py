"""What a scenario of readings needs to have running."""

import asyncio
import http.client
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
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
_READY_SECONDS = 60
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
    port = processes.any_free_port()
    with ExitStack() as stack:
        worker = stack.enter_context(
            processes.running(["steward", "worker", *where], folder / "worker.log", **settings)
        )
        apis = [
            stack.enter_context(
                processes.running(
                    ["steward", "api", "--port", str(port), *where], folder / "api.log", **settings
                )
            )
            for _ in range(api_processes)
        ]
        try:
            await_that(lambda: is_ready(port), "the API is ready")
            await_that(lambda: asyncio.run(fetch_number(url, _PARTITIONS)) > 0, "the history has partitions")
        except processes.NotReadyError as error:
            said = [(folder / name).read_text(errors="replace")[-1000:] for name in ("worker.log", "api.log")]
            raise processes.NotReadyError("\n".join([str(error), *said])) from None
        yield Service(port, [api.pid for api in apis], worker.pid)


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
    # Debian keeps it where only root looks.
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"
    if not shutil.which("mosquitto", path=path) and os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing mosquitto with apt-get")
        for words in (["update", "-qq"], ["install", "-y", "-qq", "mosquitto"]):
            subprocess.run(["apt-get", *words], check=False, stdout=subprocess.DEVNULL)
    found = shutil.which("mosquitto", path=path)
    if found is None:
        raise NoBrokerError("mosquitto, the MQTT broker, is missing: install the package `mosquitto`")
    return found


def is_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def await_control(port: int) -> None:
    def answers() -> bool:
        try:
            control.tell(port)
        except OSError:
            return False
        return True

    await_that(answers, "the process answers")


def await_that(condition: Callable[[], bool], meaning: str, seconds: float = _READY_SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise processes.NotReadyError(f"not within {seconds} s: {meaning}")
        time.sleep(0.1)


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
