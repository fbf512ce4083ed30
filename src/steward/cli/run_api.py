"""`steward api`: one of the service's parts, for several processes or machines over one PostgreSQL."""

import os
import time

import click
import uvloop

from steward.cli.base import find_database_url, listening_options, with_settings
from steward.cli.errors import operator_errors
from steward.cli.lifecycle import run_until_stopped
from steward.cli.privileges import drop_root
from steward.cli.tracing import require_otel, running_tracing
from steward.kit.http.server.config import ServerConfig, max_connections
from steward.kit.http.server.server import serve
from steward.kit.runtime.log import log
from steward.kit.runtime.loop_watch import watched_loop
from steward.kit.runtime.metrics_server import serve_metrics
from steward.kit.runtime.stop_event import StopEvent
from steward.settings import Settings
from steward.supervisor.data_dir import secret_keys
from steward.supervisor.inherited_files import SUPERVISED, inherited_socket, notify_ready
from steward.supervisor.listener import open_listener, web_address
from steward.web.rendering import load_templates
from steward.wiring.schema import require_migrated
from steward.wiring.site import running_api, shutdown_times


@click.command()
@listening_options
@with_settings
def api(settings: Settings) -> None:
    """Serve the API and the web app, over a database that `steward migrate` has prepared."""
    with operator_errors():
        require_otel(settings)
        listener = inherited_socket(os.environ) or open_listener(
            settings.host, settings.port, timeout=0, pause=time.sleep
        )
        url = find_database_url(settings)
        keys = secret_keys(settings)

    async def work(stop: StopEvent) -> None:
        await require_migrated(url, settings.database_listen_url)
        async with (
            running_tracing(settings, "api") as tracing,
            running_api(settings, keys, url, stop, tracing) as app,
        ):
            shown = None if SUPERVISED in os.environ else settings.metrics_address
            with serve_metrics(shown), watched_loop():
                # This late, since nearly everything is loaded by now; no request has been accepted yet.
                drop_root(settings, load_templates)
                notify_ready(os.environ)
                log.info("api ready", address=web_address(settings.host, listener))
                await serve(app, listener, stop, _server_config(settings), shutdown_times(settings))

    with operator_errors():
        uvloop.run(run_until_stopped(work, settings.shutdown_seconds))


def _server_config(settings: Settings) -> ServerConfig:
    return ServerConfig(
        connections=max_connections(settings.connections),
        connections_per_address=settings.connections_per_address,
        trusted_proxies=settings.trusted_proxies,
    )
