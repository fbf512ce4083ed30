"""What commands that run or reach the service have in common: where its database is, when to stop, what to tell an operator."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import asyncpg

from steward.cli.base import OperatorError
from steward.kit.db.migrate import MigrationError
from steward.kit.db.pool import DATABASE_AWAY
from steward.kit.runtime.log import log
from steward.kit.runtime.metrics_server import MetricsAddressInUseError
from steward.kit.runtime.stopping import Stop, StopMode
from steward.kit.security.encryption import WrongKeyError
from steward.settings import Settings
from steward.supervisor.errors import UpError
from steward.supervisor.parent_watch import watch_parent
from steward.supervisor.postgres import running_url

_UNREACHABLE = (
    *DATABASE_AWAY,
    TimeoutError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
)


_MANNERS = {
    signal.SIGTERM: StopMode.DRAIN,
    signal.SIGHUP: StopMode.HAND_OVER,
    signal.SIGINT: StopMode.BATCH_SIZE,
}


def url_of(settings: Settings) -> str:
    """The URL that was given, or that of the embedded server which runs in the data directory."""
    url = settings.database_url or running_url(settings.data_dir)
    if url is None:
        raise OperatorError(
            f"no database: give --database-url, or start `steward up` with the data directory {settings.data_dir}"
        )
    return url


def _call_soon(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(call)


def until_stopped(
    work: Callable[[Stop], Coroutine[Any, Any, None]], seconds: float
) -> Coroutine[Any, Any, None]:
    """Runs `work` with an event that SIGINT, SIGTERM, SIGHUP and the death of the supervisor set.

    From then on it has so many seconds, whatever hangs: near their end it is cancelled, then the process ends as it is.
    """

    async def main() -> None:
        stop = Stop()
        loop = asyncio.get_running_loop()
        for number, manner in _MANNERS.items():
            loop.add_signal_handler(number, stop.ask, manner)
        watch_parent(os.environ, partial(_call_soon, loop, stop.ask))
        working, stopping = asyncio.create_task(work(stop)), asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                _end_at_last(seconds)
                await asyncio.wait({working}, timeout=seconds - _cutting_off(seconds))
            if not working.done():
                log.warning("stopping took too long; the rest is cut off", seconds=seconds)
                working.cancel()
            with suppress(asyncio.CancelledError):
                await working
        finally:
            stopping.cancel()

    return main()


def _cutting_off(seconds: float) -> float:
    """What is left at the end for those who are cancelled."""
    return min(1.0, seconds / 4)


def _end_at_last(seconds: float) -> None:
    """In a thread of its own, so that also a loop that stands still comes to its end."""

    def end() -> None:
        sys.stderr.write(f"steward: not stopped after {seconds:g} s, ending as it is\n")
        sys.stderr.flush()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


@contextmanager
def operator_errors() -> Iterator[None]:
    """What an operator can mend becomes one line instead of a traceback."""
    try:
        yield
    except (UpError, MigrationError, MetricsAddressInUseError) as error:
        raise OperatorError(str(error)) from None
    except WrongKeyError:
        raise OperatorError(
            "the secret key (STEWARD_SECRET_KEY, or secret.key in the data directory) is not the one "
            "that this database was set up with"
        ) from None
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError) as error:
        raise OperatorError(
            f"the database has not the schema of this version ({error}): run `steward migrate`"
        ) from None
    except _UNREACHABLE as error:
        raise OperatorError(f"the database can't be reached: {error}") from None
