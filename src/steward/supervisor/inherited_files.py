"""The child's side of supervision, handed down as open files: listening sockets, and pipes to say and to notice what happens."""

import os
import socket
import threading
from collections.abc import Callable, Mapping

from steward.supervisor.errors import UpError

LISTEN_FD = "STEWARD_LISTEN_FD"
METRICS_FD = "STEWARD_METRICS_FD"
READY_FD = "STEWARD_READY_FD"
SUPERVISED = "STEWARD_SUPERVISED"
_FIRST_SYSTEMD_FD = 3


def inherited_socket(environment: Mapping[str, str], name: str = LISTEN_FD) -> socket.socket | None:
    """The listening socket that the supervisor or, by its socket activation, systemd has opened for this process."""
    if name in environment:
        return _adopt(int(environment[name]))
    # Inherited variables of another process's activation name that process, not us.
    if name == LISTEN_FD and environment.get("LISTEN_PID") == str(os.getpid()):
        return _adopt(_FIRST_SYSTEMD_FD) if environment.get("LISTEN_FDS", "0") != "0" else None
    return None


def _adopt(descriptor: int) -> socket.socket:
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


def notify_ready(environment: Mapping[str, str]) -> None:
    """Tells the supervisor that this process does its work from now on. Does nothing for one that has none."""
    if READY_FD in environment:
        descriptor = int(environment[READY_FD])
        os.write(descriptor, b"!")
        os.close(descriptor)


def watch_parent(environment: Mapping[str, str], on_orphaned: Callable[[], object]) -> None:
    """Notices that the supervisor is gone, however it went: calls `on_orphaned`, in a thread of its own, once the supervisor's end of our pipe closes.

    Does nothing for a process that no supervisor started.
    """
    if SUPERVISED not in environment:
        return
    descriptor = int(environment[SUPERVISED])
    os.set_inheritable(descriptor, False)

    def watch() -> None:
        # No process writes to it: the read ends when the last holder of the other end is gone.
        os.read(descriptor, 1)
        on_orphaned()

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
