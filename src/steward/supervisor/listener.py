"""Where a deployment listens: opened before anything is started, asked until it answers.

The supervisor holds the sockets, so they outlive every process that accepts from them.
"""

import errno
import http.client
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from steward.settings import Settings
from steward.supervisor.errors import UpError
from steward.supervisor.inherited_files import inherited_socket
from steward.supervisor.postgres_programs import Pause

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  (what we connect to, not what we listen on)
_POLL_SECONDS = 0.1
_RESPONSE_TIMEOUT = 2
_BACKLOG = 4096  # the kernel's usual ceiling (net.core.somaxconn)


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
    given = inherited_socket(environment)
    with (
        given or open_listener(settings.host, settings.port, timeout=timeout, pause=pause) as api,
        _metrics(settings, timeout, pause, log) or nullcontext() as metrics,
    ):
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


def open_listener(
    host: str, port: int, *, timeout: float, pause: Pause, said_by: str = "--port (make run PORT=8080)"
) -> socket.socket:
    """Listens on the port, or any free one for 0. One that is taken may become free within `timeout` seconds; after that
    the error names what another is `said_by`.

    Connections wait in the queue until a process accepts them: none is refused while a process restarts.
    """
    deadline = time.monotonic() + timeout
    while True:
        try:
            return _listen_once(host, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UpError(f"can't listen on port {port} of {host}: {error.strerror}") from error
            if time.monotonic() >= deadline:
                raise UpError(f"port {port} on {host} is in use; name another with {said_by}") from None
        pause(_POLL_SECONDS)


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def web_address(host: str, listener: socket.socket) -> str:
    """Where a program on this machine finds what listens there."""
    name = _ANY_ADDRESS.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{port_of(listener)}"


def _listen_once(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


@contextmanager
def announce_when_ready(
    host: str, port: int, lines: Sequence[str], echo: Callable[[str], None]
) -> Iterator[None]:
    """While entered, a thread asks the API whether it is ready, and says the lines once it is."""
    stopped = threading.Event()

    def announce() -> None:
        while not _is_ready(host, port):
            if stopped.wait(_POLL_SECONDS):
                return
        for line in lines:
            echo(line)

    threading.Thread(target=announce, name="readiness", daemon=True).start()
    try:
        yield
    finally:
        stopped.set()


def _is_ready(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(_ANY_ADDRESS.get(host, host), port, timeout=_RESPONSE_TIMEOUT)
    try:
        connection.request("GET", "/health/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
