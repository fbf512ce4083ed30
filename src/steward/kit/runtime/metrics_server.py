"""Shows metrics on an address of their own. Under `steward up` one process speaks for all of them."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import REGISTRY, CollectorRegistry, make_wsgi_app, start_http_server
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from steward.kit.runtime.log import log
from steward.settings import Address, Settings

# Where the processes of one `steward up` leave their figures for the one that shows them; prometheus_client's name.
SHARED_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


class MetricsAddressInUseError(Exception):
    pass


class _SilentHandler(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # (the base class's)
        pass


def forget_process(folder: str, pid: int) -> None:
    """Of a process that has ended, what was true only while it lived no longer counts."""
    mark_process_dead(pid, folder)  # type: ignore[no-untyped-call]


@contextmanager
def serve_metrics(address: Address | None, listener: socket.socket | None = None) -> Iterator[None]:
    """On a socket that listens already, where there is one; several processes may share it."""
    if address is None:
        yield
        return
    registry = REGISTRY
    if SHARED_DIRECTORY in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    try:
        if listener is not None:
            server, thread = _start_over(listener, registry)
        else:
            server, thread = start_http_server(address.port, address.host, registry)
    except OSError as error:
        if address != Settings().metrics_address:
            raise MetricsAddressInUseError(f"metrics can't be shown on {address}: {error.strerror}") from None
        # Nobody asked for this address: a second Steward on a machine should still start.
        log.warning("metrics are not shown", address=str(address), error=error.strerror)
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
