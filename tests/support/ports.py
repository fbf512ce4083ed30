"""Ports of this machine that belong to one test, whatever else runs on it."""

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Held until this process ends.
_claims: dict[int, socket.socket] = {}


def free_port() -> int:
    """For a process that will listen there: no other test process gets it, and the kernel gives it to no connection."""
    while True:
        port = random.randrange(10_000, _first_of_the_kernel())
        if port not in _claims and claim(port):
            return port


def claim(port: int) -> bool:
    """Whether it belongs to this process from now on, or did so before."""
    if port in _claims:
        return True
    held = socket.socket(socket.AF_UNIX)
    try:
        # A name in the abstract namespace is taken by one process, and free again when that ends.
        held.bind(f"\0steward-test-port-{port}")
        with socket.socket() as probe:
            # What has just been closed there is no obstacle to a server.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
    except OSError:
        held.close()
        return False
    _claims[port] = held
    return True


@contextmanager
def closed_port() -> Iterator[int]:
    """Taken and not listened on: connections are refused, and nobody else gets it meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


def _first_of_the_kernel() -> int:
    """From here on it takes ports for outgoing connections, as it likes."""
    limits = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(limits.read_text(encoding="ascii").split()[0]) if limits.exists() else 32_768
    return max(first, 11_000)
