"""`steward worker`: one of the service's parts, for several processes or machines over one PostgreSQL."""

import asyncio
import os
from pathlib import Path

import click
import uvloop

from steward.cli.base import location_options, read_settings
from steward.cli.privileges import give_up_root
from steward.cli.running import operator_errors, until_stopped, url_of
from steward.kit.runtime.loop_watch import watched_loop
from steward.kit.runtime.metrics_server import serve_metrics
from steward.supervisor.data_dir import secret_key
from steward.supervisor.inherited import METRICS_LISTENER, inherited_socket, say_ready
from steward.wiring.worker import run_worker


@click.command()
@location_options
def worker(data_dir: Path | None, database_url: str | None) -> None:
    """Run the worker: webhook deliveries, upkeep, and everything that happens without a request."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    with operator_errors():
        url = url_of(settings)
        key = secret_key(settings)

    async def work(stop: asyncio.Event) -> None:
        inherited = inherited_socket(os.environ, METRICS_LISTENER)
        with serve_metrics(settings.metrics_address, inherited), watched_loop():
            give_up_root(settings)
            say_ready(os.environ)
            await run_worker(settings, key, url, stop)

    with operator_errors():
        uvloop.run(until_stopped(work, settings.shutdown_seconds))
