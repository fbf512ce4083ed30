"""The child's side of what is handed down as open files: listening sockets, and a pipe to say that it is ready on."""

import os
import socket
from collections.abc import Mapping

from steward.supervisor.errors import UpError

LISTENER = "STEWARD_LISTEN_FD"
METRICS_LISTENER = "STEWARD_METRICS_FD"
READY = "STEWARD_READY_FD"
_FIRST_OF_SYSTEMD = 3


def inherited_socket(environment: Mapping[str, str], name: str = LISTENER) -> socket.socket | None:
    """The listening socket that the supervisor or, by its socket activation, systemd has opened for this process."""
    if name in environment:
        return _adopted(int(environment[name]))
    # Inherited variables of another process's activation name that process, not us.
    if name == LISTENER and environment.get("LISTEN_PID") == str(os.getpid()):
        return _adopted(_FIRST_OF_SYSTEMD) if environment.get("LISTEN_FDS", "0") != "0" else None
    return None


def _adopted(descriptor: int) -> socket.socket:
    try:
        listener = socket.socket(fileno=descriptor)
        listens = listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN)
    except OSError as error:
        raise UpError(f"the file {descriptor} that was handed over is no socket: {error.strerror}") from None
    if not listens or listener.family not in {socket.AF_INET, socket.AF_INET6}:
        listener.close()
        raise UpError(f"the socket {descriptor} that was handed over doesn't listen on an address and port")
    listener.set_inheritable(False)
    listener.setblocking(False)
    return listener


def say_ready(environment: Mapping[str, str]) -> None:
    """Tells the supervisor that this process does its work from now on. Does nothing for one that has none."""
    if READY in environment:
        descriptor = int(environment[READY])
        os.write(descriptor, b"!")
        os.close(descriptor)
