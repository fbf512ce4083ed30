"""The listening sockets of a deployment. The supervisor holds them, so they outlive every process that accepts from them."""

import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.errors import UpError
from steward.supervisor.inherited_sockets import inherited_socket
from steward.supervisor.listener import open_listener
from steward.supervisor.postgres_programs import Pause


class ListeningSockets(NamedTuple):
    api: socket.socket
    metrics: socket.socket | None


@contextmanager
def open_sockets(
    settings: Settings,
    environment: Mapping[str, str],
    *,
    timeout: float,
    pause: Pause,
    log: Callable[[str], None],
) -> Iterator[ListeningSockets]:
    with ExitStack() as stack:
        api = inherited_socket(environment) or open_listener(
            settings.host, settings.port, timeout=timeout, pause=pause
        )
        stack.enter_context(api)
        metrics = _metrics(settings, timeout, pause, log)
        if metrics is not None:
            stack.enter_context(metrics)
        yield ListeningSockets(api, metrics)


def _metrics(
    settings: Settings, timeout: float, pause: Pause, log: Callable[[str], None]
) -> socket.socket | None:
    address = settings.metrics_address
    if address is None:
        return None
    try:
        return open_listener(
            address.host, address.port, timeout=timeout, pause=pause, said_by="STEWARD_METRICS_ADDRESS"
        )
    except UpError as error:
        if address != Settings().metrics_address:
            raise UpError(f"metrics can't be shown on {address}: {error}") from None
        # It is the default address: a second Steward on a machine should still start.
        log(f"metrics are not shown: {error}")
        return None
