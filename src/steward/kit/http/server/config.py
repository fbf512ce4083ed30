"""Bounds on what unknown callers can hold of a process, and for how long."""

import resource

import msgspec

from steward.settings import Network

BACKLOG = 4096
# File descriptors beside callers' connections: database, logs, connections that close while new ones are
# accepted.
_OTHER_FILES = BACKLOG + 512


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True):
    connections: int = 10_000
    connections_per_address: int = 512
    # Trusted proxies carry many callers, so their connections aren't counted by address.
    trusted_proxies: tuple[Network, ...] = ()
    # Requests that may wait for the answer to the one before; more of them end the connection.
    pipelined: int = 128
    head_seconds: float = 10
    # Longer than the usual keep-alive of proxies, so that they close first.
    idle_seconds: float = 75
    # The time for a body, plus one second for every so many bytes of it.
    body_seconds: float = 10
    body_bytes_per_second: int = 4096
    # For all bodies that are being received or processed.
    body_memory: int = 256 * 1024 * 1024
    # The time for an answer that the caller doesn't read, and the least they must read meanwhile.
    stall_seconds: float = 30
    stall_bytes: int = 16 * 1024
    # For a caller who still sends after the answer.
    linger_seconds: float = 2
    sweep_seconds: float = 0.5

    def body_time(self, received: int) -> float:
        return self.body_seconds + received / self.body_bytes_per_second


def max_connections(wanted: int) -> int:
    """As many connections as there are file descriptors."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, limit - min(_OTHER_FILES, limit // 2)))
