"""Shows metrics on an address of their own. Under `steward up` one process speaks for all of them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from steward.kit.log import log
from steward.settings import Address, Settings

# Where the processes of one `steward up` leave their figures for the one that shows them; prometheus_client's name.
SHARED_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


class MetricsAddressInUseError(Exception):
    pass


@contextmanager
def serve_metrics(address: Address | None) -> Iterator[None]:
    if address is None:
        yield
        return
    registry = REGISTRY
    if SHARED_DIRECTORY in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    try:
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
