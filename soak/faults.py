"""Every fault by its name: what is done, what it needs, and whether the service may be unready meanwhile."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Literal

import asyncpg
import msgspec
from tests.support.proxy import Mode

from soak.broker import SoakBroker
from soak.databases import OwnDatabase, Volume
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
    # The short form does everything once: what both stages could suffer is shared out.
    short: Literal["embedded", "own"]
    # What the service can't be or do while it lasts; one that isn't ready delivers nothing either.
    excuses: Literal["unreadiness", "silence", None] = None
    # Until the new processes accept connections, what was asked waits in the queue of their socket.
    starts_anew: bool = False
    # What a stage has to have.
    needs: Literal["broker", "volume", "own database", None] = None


def _own(stage: Stage) -> OwnDatabase:
    assert isinstance(stage.database, OwnDatabase)
    return stage.database


def _volume(stage: Stage) -> Volume:
    assert stage.volume is not None
    return stage.volume


def _for_a_while(begin: Callable[[Stage], None], end: Callable[[Stage], None]) -> Act:
    async def act(stage: Stage, seconds: float) -> None:
        begin(stage)
        try:
            await asyncio.sleep(seconds)
        finally:
            end(stage)

    return act


def _kill(role: str) -> Act:
    async def act(stage: Stage, _seconds: float) -> None:
        if parts := stage.up.parts(role):
            stage.chance.choice(parts).kill()

    return act


def _signal_workers(number: signal.Signals) -> Callable[[Stage], None]:
    return lambda stage: signal_all([part.pid for part in stage.up.parts("worker")], number)


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


async def stop_postgres(stage: Stage, seconds: float) -> None:
    await _own(stage).stop()
    await asyncio.sleep(seconds)
    await _own(stage).start()


def _turn_proxy(mode: Mode) -> Callable[[Stage], None]:
    def turn(stage: Stage) -> None:
        _own(stage).proxy.mode = mode

    return turn


async def strand_connections(stage: Stage, _seconds: float) -> None:
    """A firewall has forgotten all connections: they carry nothing any more, and nobody says so."""
    _own(stage).proxy.strand()


async def fill_disk_to_the_log(stage: Stage, seconds: float) -> None:
    """Until also the write-ahead log has no room: PostgreSQL then goes down."""
    _volume(stage).fill()
    try:
        for _ in range(_MAX_SEGMENTS):
            await stage.database.run("SELECT pg_logical_emit_message(true, 'soak', 'x'), pg_switch_wal()")
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError):
        await asyncio.sleep(seconds)
    finally:
        _volume(stage).clear()


def _clock(*, worker: int, others: int) -> Act:
    async def act(stage: Stage, seconds: float) -> None:
        hours = stage.chance.uniform(1, 4)
        stage.up.clock.set(worker=worker * hours * _HOUR, others=others * hours * _HOUR)
        try:
            await asyncio.sleep(max(2.0, seconds))
        finally:
            stage.up.clock.set(worker=0, others=0)

    return act


def _without_broker(end: Callable[[SoakBroker], None]) -> Act:
    """It may lose what it holds, and what comes before a worker has subscribed again; so it is emptied before."""

    async def act(stage: Stage, seconds: float) -> None:
        broker = stage.broker
        assert broker is not None
        await stage.empty_broker(_EMPTY_SECONDS)
        await asyncio.sleep(_AGAIN_SECONDS)
        await asyncio.to_thread(end, broker)
        await asyncio.sleep(seconds)
        said = broker.log_size()
        broker.start()
        stage.end_risk_later(said)

    return act


async def hold_sockets(stage: Stage, seconds: float) -> None:
    export = f"GET {stage.setup.noisy_path}/assets.ndjson HTTP/1.1\r\nHost: steward\r\nX-API-Key: {stage.setup.noisy_key}\r\n\r\n"
    clients = SlowClients(stage.up.port, export.encode())
    try:
        await clients.hold(_SLOW_CLIENTS, seconds)
    finally:
        stage.slow_clients += clients.held


_BLACK_HOLE = _for_a_while(_turn_proxy("hole"), _turn_proxy("pass"))
_REFUSAL = _for_a_while(_turn_proxy("refuse"), _turn_proxy("pass"))
_PAUSED_WORKER = _for_a_while(_signal_workers(signal.SIGSTOP), _signal_workers(signal.SIGCONT))
_PAUSED_POSTGRES = _for_a_while(lambda stage: stage.database.pause(), lambda stage: stage.database.go_on())
_FULL_DISK = _for_a_while(lambda stage: _volume(stage).fill(), lambda stage: _volume(stage).clear())
_NO_RECEIVER = _for_a_while(
    lambda stage: stage.receivers.go_away(), lambda stage: stage.receivers.come_back()
)

KINDS: dict[str, Kind] = {
    "kill api": Kind(_kill("api"), "embedded"),
    "kill worker": Kind(_kill("worker"), "embedded"),
    "kill backend": Kind(kill_backend, "embedded"),
    "kill postmaster": Kind(kill_postmaster, "embedded", "unreadiness"),
    "kill supervisor": Kind(kill_supervisor, "embedded", "unreadiness", starts_anew=True),
    "stop supervisor": Kind(stop_supervisor, "own", "unreadiness", starts_anew=True),
    "pause worker": Kind(_PAUSED_WORKER, "own", "unreadiness"),
    "pause PostgreSQL": Kind(_PAUSED_POSTGRES, "embedded", "unreadiness"),
    "stop PostgreSQL": Kind(stop_postgres, "own", "unreadiness", needs="own database"),
    "restart PostgreSQL": Kind(
        lambda stage, _seconds: stop_postgres(stage, 0), "own", "unreadiness", needs="own database"
    ),
    "black-hole PostgreSQL": Kind(_BLACK_HOLE, "own", "unreadiness", needs="own database"),
    "refuse connections": Kind(_REFUSAL, "own", "unreadiness", needs="own database"),
    "strand connections": Kind(strand_connections, "own", needs="own database"),
    "disk full": Kind(_FULL_DISK, "embedded", "unreadiness", needs="volume"),
    "disk full to the log": Kind(fill_disk_to_the_log, "embedded", "unreadiness", needs="volume"),
    "clock ahead": Kind(_clock(worker=1, others=1), "embedded"),
    "clock behind": Kind(_clock(worker=-1, others=-1), "embedded"),
    "clock of the worker ahead": Kind(_clock(worker=1, others=0), "own"),
    "kill broker": Kind(_without_broker(SoakBroker.kill), "own", needs="broker"),
    "stop broker": Kind(_without_broker(SoakBroker.stop), "own", needs="broker"),
    "slow clients": Kind(hold_sockets, "own"),
    "receiver away": Kind(_NO_RECEIVER, "own", "silence"),
}


def possible(stage: Stage) -> list[str]:
    """What can happen to this stage."""
    has = {
        None: True,
        "broker": stage.broker is not None,
        "volume": stage.volume is not None,
        "own database": isinstance(stage.database, OwnDatabase),
    }
    return [name for name, kind in KINDS.items() if has[kind.needs]]
