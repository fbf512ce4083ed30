"""`steward worker`: one of the service's parts, for several processes or machines over one PostgreSQL."""

import asyncio
from pathlib import Path

import click
import uvloop

from steward.cli.base import location_options, read_settings
from steward.cli.running import operator_errors, until_stopped, url_of
from steward.kit.loop_watch import watched_loop
from steward.kit.metrics_server import serve_metrics
from steward.supervisor.data_dir import secret_key
from steward.wiring.worker import run_worker


@click.command()
@location_options
def worker(data_dir: Path | None, database_url: str | None) -> None:
    """Run the worker: webhook deliveries, upkeep, and everything that happens without a request."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    url = url_of(settings)
    with operator_errors():
        key = secret_key(settings)

    async def work(stop: asyncio.Event) -> None:
        with serve_metrics(settings.metrics_address), watched_loop():
            await run_worker(settings, key, url, stop)

    with operator_errors():
        uvloop.run(until_stopped(work, settings.shutdown_seconds))
