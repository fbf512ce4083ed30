"""`steward worker`: one of the service's parts, for several processes or machines over one PostgreSQL."""

import asyncio
import os
from contextlib import suppress

import click
import uvloop

from steward.cli.base import find_database_url, with_settings
from steward.cli.errors import operator_errors
from steward.cli.lifecycle import run_until_stopped
from steward.cli.privileges import drop_root
from steward.cli.tracing import require_otel, running_tracing
from steward.kit.db.pool import DATABASE_AWAY
from steward.kit.runtime.log import log
from steward.kit.runtime.loop_watch import watched_loop
from steward.kit.runtime.metrics_server import serve_metrics
from steward.settings import Settings
from steward.supervisor.data_dir import secret_keys
from steward.supervisor.disk_space import CLUSTER
from steward.supervisor.inherited_files import METRICS_FD, inherited_socket, notify_ready
from steward.wiring.schema import require_migrated
from steward.wiring.worker import run_worker


@click.command()
@with_settings
def worker(settings: Settings) -> None:
    """Run the worker: webhook deliveries, upkeep, and everything that happens without a request."""
    with operator_errors():
        require_otel(settings)
        url = find_database_url(settings)
        keys = secret_keys(settings)

    async def work(stop: asyncio.Event) -> None:
        inherited = inherited_socket(os.environ, METRICS_FD)
        async with running_tracing(settings, "worker") as tracing:
            with serve_metrics(settings.metrics_address, inherited), watched_loop():
                # A worker that starts while the database is unreachable waits for it.
                with suppress(*DATABASE_AWAY):
                    await require_migrated(url, settings.database_listen_url)
                drop_root(settings)
                notify_ready(os.environ)
                log.info("worker ready")
                await run_worker(settings, keys, url, stop, tracing, os.environ.get(CLUSTER))

    with operator_errors():
        uvloop.run(run_until_stopped(work, settings.shutdown_seconds))
