"""Whether the API's port is free, before anything is started for it."""

import socket
import time
from collections.abc import Iterator

import pytest
from tests.support.waiting import limit

from steward.supervisor.errors import UpError
from steward.supervisor.listener import open_listener, port_of, web_address
from steward.supervisor.postgres_programs import Pause


def _listened_on(host: str, port: int, *, timeout: float = 0, pause: Pause = time.sleep, **said: str) -> int:
    with open_listener(host, port, timeout=timeout, pause=pause, **said) as listener:
        return port_of(listener)


@pytest.fixture
def taken() -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener


def test_a_port_that_is_taken_is_refused_at_once(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    with pytest.raises(UpError, match=rf"^port {port} on 127\.0\.0\.1 is in use; name another with --port"):
        _listened_on("127.0.0.1", port)


def test_the_error_names_what_can_be_changed(taken: socket.socket) -> None:
    with pytest.raises(UpError, match=r"name another with STEWARD_METRICS_ADDRESS$"):
        _listened_on("127.0.0.1", taken.getsockname()[1], said_by="STEWARD_METRICS_ADDRESS")


def test_after_a_crash_a_port_may_become_free(taken: socket.socket) -> None:
    port = taken.getsockname()[1]
    assert _listened_on("127.0.0.1", port, timeout=limit(60), pause=lambda _: taken.close()) == port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0"])
def test_any_port_is_one_that_can_be_used(host: str) -> None:
    port = _listened_on(host, 0)
    # Somebody else on this machine may have it for a moment.
    assert _listened_on(host, port, timeout=limit(60)) == port


@pytest.mark.parametrize(
    ("host", "name"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("localhost", "localhost")],
)
def test_the_printed_address_answers(taken: socket.socket, host: str, name: str) -> None:
    """With the port that was found, where any was asked for."""
    assert web_address(host, taken) == f"http://{name}:{taken.getsockname()[1]}"


def test_a_host_that_is_not_ours_is_refused_in_one_line() -> None:
    with pytest.raises(UpError, match=r"^can't listen on port 8000 of 192\.0\.2\.1: [^\n]+$"):
        _listened_on("192.0.2.1", 8000)
