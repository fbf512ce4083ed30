"""Serves metrics on an address of their own. Under `steward up` one process serves those of all."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import REGISTRY, CollectorRegistry, make_wsgi_app, start_http_server
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import with_old_names
from steward.settings import Address, Settings

# Where the processes of one `steward up` write their metrics for the one that serves them; the name is prometheus_client's.
SHARED_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


class MetricsAddressInUseError(Exception):
    pass


class _Served(Collector):
    """The metrics of this process, or of all that share the directory."""

    def __init__(self) -> None:
        self._own = REGISTRY
        if SHARED_DIRECTORY in os.environ:
            self._own = CollectorRegistry()
            MultiProcessCollector(self._own)  # type: ignore[no-untyped-call]

    def collect(self) -> Iterator[Metric]:
        yield from with_old_names(self._own.collect())


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # (the base class's)
        pass


def forget_process(folder: str, pid: int) -> None:
    """Drops the live gauges of a process that has ended."""
    mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]


@contextmanager
def serve_metrics(address: Address | None, listener: socket.socket | None = None) -> Iterator[None]:
    """On the given listening socket, if any; several processes may share it."""
    if address is None:
        yield
        return
    registry = CollectorRegistry()
    registry.register(_Served())
    try:
        if listener is not None:
            server, thread = _start_over(listener, registry)
        else:
            server, thread = start_http_server(address.port, address.host, registry)
    except OSError as error:
        if address != Settings().metrics_address:
            raise MetricsAddressInUseError(f"metrics can't be shown on {address}: {error.strerror}") from None
        # It is the default address: a second Steward on a machine should still start.
        log.warning("metrics are not served", address=str(address), error=error.strerror)
        yield
        return
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


def _start_over(listener: socket.socket, registry: CollectorRegistry) -> tuple[WSGIServer, threading.Thread]:
    host, port = listener.getsockname()[:2]
    server = ThreadingWSGIServer((host, port), _SilentHandler, bind_and_activate=False)
    server.socket.close()
    server.socket = listener
    server.server_name, server.server_port = host, port
    server.setup_environ()
    server.set_app(make_wsgi_app(registry))
    thread = threading.Thread(target=server.serve_forever, name="metrics", daemon=True)
    thread.start()
    return server, thread
