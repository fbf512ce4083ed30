"""What commands that run or reach the service have in common: where its database is, when to stop, what to tell an operator."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import asyncpg

from steward.cli.base import OperatorError
from steward.kit.db import DATABASE_AWAY
from steward.kit.metrics_server import MetricsAddressInUseError
from steward.kit.migrate import MigrationError
from steward.kit.vault import WrongKeyError
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


def until_stopped(work: Callable[[asyncio.Event], Awaitable[None]]) -> Coroutine[Any, Any, None]:
    """Runs `work` with an event that SIGINT, SIGTERM and the death of the supervisor set."""

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        watch_parent(os.environ, partial(_call_soon, loop, stop.set))
        await work(stop)

    return main()


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
    except _UNREACHABLE as error:
        raise OperatorError(f"the database can't be reached: {error}") from None
