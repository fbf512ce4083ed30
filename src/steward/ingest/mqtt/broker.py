"""Where the broker is, what is agreed with it, and why it can't be used."""

from urllib.parse import unquote, urlsplit

import msgspec

_PORTS = {"mqtt": 1883, "mqtts": 8883}
_REASONS = {
    0x84: "it doesn't speak MQTT 5",
    0x85: "it doesn't like the client id",
    0x86: "user name or password are wrong",
    0x87: "not authorized",
    0x88: "it is unavailable",
    0x89: "it is busy",
    0x8B: "it is shutting down",
    0x8E: "another client has taken over the session",
    0x9E: "it has no shared subscriptions",
}


class BrokerError(Exception):
    """The broker can't be used at the moment; the message says why."""


class BrokerAddress(msgspec.Struct, frozen=True):
    """Where the broker is. The credentials are never shown."""

    host: str
    port: int
    tls: bool
    username: str | None
    password: str | None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class ConnectionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is agreed with the broker, and the timeouts."""

    # How long the broker keeps messages for a disconnected worker.
    session_expiry: int = 3600
    # How long a session may be without its worker before another worker takes its messages.
    abandoned_after: int = 120
    keep_alive: int = 30
    timeout: float = 10
    # Messages that may be under way unacknowledged; the broker then waits.
    receive_maximum: int = 4000
    # As large as a request may be, and the topic.
    max_packet_bytes: int = 1_100_000
    # Reading stops when this much waits to be stored.
    max_bytes: int = 4_000_000
    max_pause: float = 30


def broker_at(url: str) -> BrokerAddress:
    parts = urlsplit(url)
    return BrokerAddress(
        host=parts.hostname or "",
        port=parts.port or _PORTS[parts.scheme],
        tls=parts.scheme == "mqtts",
        username=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
    )


def explain(reason: int) -> str:
    return _REASONS.get(reason, f"reason 0x{reason:02x}")
