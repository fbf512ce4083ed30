"""`steward api`: one of the service's parts, for several processes or machines over one PostgreSQL."""

import asyncio
import os
import time
from pathlib import Path

import click
import uvloop

from steward.cli.base import location_options, read_settings
from steward.cli.running import operator_errors, until_stopped, url_of
from steward.kit.http.server.config import ServerConfig, raise_file_limit
from steward.kit.http.server.serving import listen, serve
from steward.kit.loop_watch import watched_loop
from steward.kit.metrics_server import serve_metrics
from steward.supervisor.data_dir import secret_key
from steward.supervisor.listening import free_port
from steward.supervisor.parent_watch import SUPERVISED
from steward.wiring.site import running_api, stop_times


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

    config = ServerConfig(
        connections=raise_file_limit(settings.connections),
        connections_per_address=settings.connections_per_address,
        trusted_proxies=settings.trusted_proxies,
    )

    async def work(stop: asyncio.Event) -> None:
        async with running_api(settings, key, url, stop) as app:
            with serve_metrics(None if supervised else settings.metrics_address), watched_loop():
                await serve(app, listen(settings.host, settings.port), stop, config, stop_times(settings))

    with operator_errors():
        uvloop.run(until_stopped(work, settings.shutdown_seconds))
