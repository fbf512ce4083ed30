"""The parts of the service one by one, for several processes or machines over one PostgreSQL."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import click
import uvloop

from steward import wiring
from steward.cli.base import OperatorError, location_options, read_settings
from steward.kit.db import DATABASE_AWAY
from steward.kit.http.server import serve
from steward.kit.metrics_server import MetricsAddressInUseError, serve_metrics
from steward.kit.migrate import MigrationError
from steward.kit.migrate import migrate as run_migrations
from steward.kit.vault import WrongKeyError
from steward.settings import Settings
from steward.supervisor.data_dir import secret_key
from steward.supervisor.errors import UpError
from steward.supervisor.listening import free_port
from steward.supervisor.parent_watch import SUPERVISED, watch_parent
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


@click.command()
@click.option("--host", help="Where to listen; 127.0.0.1 by default.")
@click.option("--port", type=int, help="The port; 8000 by default.")
@location_options
def api(host: str | None, port: int | None, data_dir: Path | None, database_url: str | None) -> None:
    """Serve the API and the web app, over a database that `steward migrate` has prepared."""
    settings = read_settings(host=host, port=port, data_dir=data_dir, database_url=database_url)
    supervised = SUPERVISED in os.environ
    if not supervised:
        with operator_errors():
            free_port(settings.host, settings.port, patience=0, pause=time.sleep)
    url = url_of(settings)
    with operator_errors():
        key = secret_key(settings)

    async def work(stop: asyncio.Event) -> None:
        async with wiring.running_api(settings, key, url) as app:
            with serve_metrics(None if supervised else settings.metrics_address):
                await serve(app, settings.host, settings.port, stop, settings.shutdown_seconds)

    with operator_errors():
        uvloop.run(until_stopped(work))


@click.command()
@location_options
def worker(data_dir: Path | None, database_url: str | None) -> None:
    """Run the worker: webhook deliveries, upkeep, and everything that happens without a request."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    url = url_of(settings)
    with operator_errors():
        key = secret_key(settings)

    async def work(stop: asyncio.Event) -> None:
        with serve_metrics(settings.metrics_address):
            await wiring.run_worker(settings, key, url, stop)

    with operator_errors():
        uvloop.run(until_stopped(work))


@click.command()
@location_options
def migrate(data_dir: Path | None, database_url: str | None) -> None:
    """Bring the database to the schema of this version."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    with operator_errors():
        applied = uvloop.run(run_migrations(url_of(settings)))
    click.echo("\n".join(applied) if applied else "nothing to do")
