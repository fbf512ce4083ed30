"""How much of a process strangers may hold, and for how long."""

import resource

import msgspec

from steward.settings import Network

BACKLOG = 4096
# Files beside connections of callers: database, logs, those that are being closed while others are already accepted.
_OTHER_FILES = BACKLOG + 512


class ServerConfig(msgspec.Struct, frozen=True, kw_only=True):
    connections: int = 10_000
    connections_per_address: int = 512
    # Proxies of ours speak for many callers, so their connections are not counted by address.
    trusted_proxies: tuple[Network, ...] = ()
    head_seconds: float = 10
    # Longer than the usual keep-alive of proxies, so that they close first.
    idle_seconds: float = 75
    # A body may take this long, and a second more for every so many bytes of it.
    body_seconds: float = 10
    body_bytes_per_second: int = 4096
    # Of all bodies that are being received or worked on.
    body_memory: int = 256 * 1024 * 1024
    # An answer that nobody reads, and the least that must be read of it meanwhile.
    stall_seconds: float = 30
    stall_bytes: int = 16 * 1024
    # For a sender that is still sending when it has been answered already.
    linger_seconds: float = 2
    sweep_seconds: float = 0.5

    def body_time(self, received: int) -> float:
        return self.body_seconds + received / self.body_bytes_per_second


def max_connections(wanted: int) -> int:
    """As many of them as there are file descriptors for."""
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, limit - min(_OTHER_FILES, limit // 2)))
