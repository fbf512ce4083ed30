"""Every fault by its name: what is done, for how long, and whether the service may be unready meanwhile."""

import asyncio
import signal
from collections.abc import Awaitable, Callable

import asyncpg
import msgspec

from soak.databases import OwnDatabase
from soak.deployment import signal_all
from soak.slow import SlowClients
from soak.stage import Stage

_HOUR = 3600
_AGAIN_SECONDS = 0.4
_EMPTY_SECONDS = 8
_SLOW_CLIENTS = 1200
_MAX_SEGMENTS = 40

Act = Callable[[Stage, float], Awaitable[None]]


class Kind(msgspec.Struct, frozen=True):
    act: Act
    # While it lasts, the service can't be ready, or nothing can be delivered.
    excuses_unready: bool = False
    excuses_silence: bool = False
    # Until the new processes accept connections, what was asked waits in the queue of their socket.
    starts_anew: bool = False


async def _kill(stage: Stage, role: str) -> None:
    if parts := stage.up.parts(role):
        stage.chance.choice(parts).kill()


async def kill_api(stage: Stage, _seconds: float) -> None:
    await _kill(stage, "api")


async def kill_worker(stage: Stage, _seconds: float) -> None:
    await _kill(stage, "worker")


async def pause_worker(stage: Stage, seconds: float) -> None:
    pids = [part.pid for part in stage.up.parts("worker")]
    signal_all(pids, signal.SIGSTOP)
    try:
        await asyncio.sleep(seconds)
    finally:
        signal_all(pids, signal.SIGCONT)


async def kill_supervisor(stage: Stage, _seconds: float) -> None:
    stage.up.kill()
    await asyncio.sleep(stage.chance.uniform(0, 2))
    stage.up.start()


async def stop_supervisor(stage: Stage, _seconds: float) -> None:
    await stage.up.terminate()
    stage.up.start()


async def kill_backend(stage: Stage, _seconds: float) -> None:
    """PostgreSQL takes a backend that is killed for a crash, and recovers."""
    if backends := stage.database.backends():
        signal_all([stage.chance.choice(backends)], signal.SIGKILL)


async def kill_postmaster(stage: Stage, seconds: float) -> None:
    stage.database.kill_server()
    if isinstance(stage.database, OwnDatabase):
        await asyncio.sleep(min(seconds, 3))
        await stage.database.start()


async def pause_postgres(stage: Stage, seconds: float) -> None:
    stage.database.pause()
    try:
        await asyncio.sleep(seconds)
    finally:
        stage.database.go_on()


async def stop_postgres(stage: Stage, seconds: float) -> None:
    assert isinstance(stage.database, OwnDatabase)
    await stage.database.stop()
    await asyncio.sleep(seconds)
    await stage.database.start()


async def restart_postgres(stage: Stage, _seconds: float) -> None:
    await stop_postgres(stage, 0)


def _by_proxy(mode: str) -> Act:
    async def act(stage: Stage, seconds: float) -> None:
        assert isinstance(stage.database, OwnDatabase)
        stage.database.proxy.mode = mode  # type: ignore[assignment]
        try:
            await asyncio.sleep(seconds)
        finally:
            stage.database.proxy.mode = "pass"

    return act


async def strand_connections(stage: Stage, _seconds: float) -> None:
    """A firewall has forgotten all connections: they carry nothing any more, and nobody says so."""
    assert isinstance(stage.database, OwnDatabase)
    stage.database.proxy.strand()


async def fill_disk(stage: Stage, seconds: float) -> None:
    assert stage.volume is not None
    stage.volume.fill()
    try:
        await asyncio.sleep(seconds)
    finally:
        stage.volume.clear()


async def fill_disk_to_the_log(stage: Stage, seconds: float) -> None:
    """Until also the write-ahead log has no room: PostgreSQL then goes down."""
    assert stage.volume is not None
    stage.volume.fill()
    try:
        for _ in range(_MAX_SEGMENTS):
            await stage.database.run("SELECT pg_logical_emit_message(true, 'soak', 'x'), pg_switch_wal()")
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
        await asyncio.sleep(seconds)
    finally:
        stage.volume.clear()


def _clock(*, worker: int, others: int) -> Act:
    async def act(stage: Stage, seconds: float) -> None:
        hours = stage.chance.uniform(1, 4)
        stage.up.clock.set(worker=worker * hours * _HOUR, others=others * hours * _HOUR)
        try:
            await asyncio.sleep(max(2.0, seconds))
        finally:
            stage.up.clock.set(worker=0, others=0)

    return act


async def kill_broker(stage: Stage, seconds: float) -> None:
    assert stage.broker
    await _without_broker(stage, seconds, stage.broker.kill)


async def stop_broker(stage: Stage, seconds: float) -> None:
    assert stage.broker
    await _without_broker(stage, seconds, stage.broker.stop)


async def _without_broker(stage: Stage, seconds: float, end: Callable[[], None]) -> None:
    """It may lose what it holds, and what comes before a worker has subscribed again; so it is emptied before."""
    assert stage.broker
    await stage.empty_broker(_EMPTY_SECONDS)
    await asyncio.sleep(_AGAIN_SECONDS)
    await asyncio.to_thread(end)
    await asyncio.sleep(seconds)
    said = stage.broker.log_size()
    stage.broker.start()
    stage.end_risk_later(said)


async def hold_sockets(stage: Stage, seconds: float) -> None:
    export = f"GET {stage.setup.noisy_path}/assets.ndjson HTTP/1.1\r\nHost: steward\r\nX-API-Key: {stage.setup.noisy_key}\r\n\r\n"
    clients = SlowClients(stage.up.port, export.encode())
    try:
        await clients.hold(_SLOW_CLIENTS, seconds)
    finally:
        stage.slow_clients += clients.held


async def lose_receiver(stage: Stage, seconds: float) -> None:
    stage.receivers.go_away()
    try:
        await asyncio.sleep(seconds)
    finally:
        stage.receivers.come_back()


KINDS: dict[str, Kind] = {
    "kill api": Kind(kill_api),
    "kill worker": Kind(kill_worker),
    "kill backend": Kind(kill_backend),
    "kill postmaster": Kind(kill_postmaster, excuses_unready=True, excuses_silence=True),
    "kill supervisor": Kind(kill_supervisor, excuses_unready=True, excuses_silence=True, starts_anew=True),
    "stop supervisor": Kind(stop_supervisor, excuses_unready=True, excuses_silence=True, starts_anew=True),
    "pause worker": Kind(pause_worker, excuses_unready=True, excuses_silence=True),
    "pause PostgreSQL": Kind(pause_postgres, excuses_unready=True, excuses_silence=True),
    "stop PostgreSQL": Kind(stop_postgres, excuses_unready=True, excuses_silence=True),
    "restart PostgreSQL": Kind(restart_postgres, excuses_unready=True, excuses_silence=True),
    "black-hole PostgreSQL": Kind(_by_proxy("hole"), excuses_unready=True, excuses_silence=True),
    "refuse connections": Kind(_by_proxy("refuse"), excuses_unready=True, excuses_silence=True),
    "strand connections": Kind(strand_connections),
    "disk full": Kind(fill_disk, excuses_unready=True, excuses_silence=True),
    "disk full to the log": Kind(fill_disk_to_the_log, excuses_unready=True, excuses_silence=True),
    "clock ahead": Kind(_clock(worker=1, others=1)),
    "clock behind": Kind(_clock(worker=-1, others=-1)),
    "clock of the worker ahead": Kind(_clock(worker=1, others=0)),
    "kill broker": Kind(kill_broker),
    "stop broker": Kind(stop_broker),
    "slow clients": Kind(hold_sockets),
    "receiver away": Kind(lose_receiver, excuses_silence=True),
}
_BROKER = ("kill broker", "stop broker")
_DISK = ("disk full", "disk full to the log")
_PROXY = (
    "stop PostgreSQL",
    "restart PostgreSQL",
    "black-hole PostgreSQL",
    "refuse connections",
    "strand connections",
)


def possible(stage: Stage) -> list[str]:
    """What can happen to this stage."""
    impossible = {
        *(() if stage.broker else _BROKER),
        *(() if stage.volume else _DISK),
        *(() if isinstance(stage.database, OwnDatabase) else _PROXY),
    }
    return [kind for kind in KINDS if kind not in impossible]
