"""How values are written in the environment; what can't be read raises a ValueError that says what is wanted."""

import base64
import binascii
import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import msgspec

Network = IPv4Network | IPv6Network

_MAX_ATTEMPTS = 50
_MAX_RETRY_SECONDS = 604_800


class Address(msgspec.Struct, frozen=True):
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def text(value: str) -> str:
    if not value:
        raise ValueError("must not be empty")
    return value


def path(value: str) -> Path:
    return Path(text(value))


def one_of(*choices: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value

    return read


def on_off(value: str) -> bool:
    return one_of("on", "off")(value) == "on"


def whole_number(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not (value.isascii() and value.isdigit() and low <= int(value) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(value)

    return read


def _split(value: str, *schemes: str) -> tuple[SplitResult, int | None]:
    """The parts of a URL, and its port. Errors don't repeat the URL: it may hold a password."""
    wanted = "must be a URL that begins with " + " or ".join(f"{scheme}://" for scheme in schemes)
    try:
        parts = urlsplit(value)
    except ValueError:
        raise ValueError(f"{wanted}, and its host can't be read") from None
    if parts.scheme not in schemes:
        raise ValueError(wanted)
    try:
        port = parts.port
    except ValueError:
        raise ValueError(
            "must have a port from 1 to 65535 after its host; write @, / and : in a password as %40, %2F and %3A"
        ) from None
    return parts, port


def database_url(value: str) -> str:
    """PostgreSQL's URLs may name several hosts, which no other URL does."""
    parts = urlsplit(value) if "," in value else _split(value, "postgresql", "postgres")[0]
    if parts.scheme not in {"postgresql", "postgres"} or not value.partition(":")[2].startswith("//"):
        raise ValueError("must be a URL that begins with postgresql://")
    return value


def database_urls(value: str) -> tuple[str, ...]:
    """A comma may also stand between the hosts of one URL."""
    return tuple(database_url(part) for part in re.split(r"\s*,\s*(?=[a-z]+://)", value.strip()))


def server_url(*schemes: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        parts, port = _split(value, *schemes)
        if not parts.hostname or port == 0:
            raise ValueError(f"must name a host, and a port other than 0: {schemes[0]}://host:port")
        return value

    return read


def public_url(value: str) -> str:
    parts, _ = _split(value, "https", "http")
    if not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be a URL that begins with https:// or http://")
    return value.rstrip("/")


def otlp_endpoint(value: str) -> str | None:
    """The standard takes an empty one for none."""
    if not value.strip():
        return None
    parts, _ = _split(value.strip(), "http", "https")
    if not parts.hostname:
        raise ValueError("must name a host: http://host:4318")
    return value.strip()


def email_address(value: str) -> str:
    if not re.fullmatch(r"[^@\s<>,;]+@[^@\s<>,;]+", value):
        raise ValueError("must be an e-mail address")
    return value


def address(value: str) -> Address | None:
    if value == "off":
        return None
    host, colon, port = value.rpartition(":")
    if not colon or not host:
        raise ValueError("must be HOST:PORT, or off")
    return Address(host.strip("[]"), whole_number(0, 65535)(port))


def networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(f"must be addresses or networks, comma-separated ({error})") from None


def origins(value: str) -> tuple[str, ...]:
    """Exactly as browsers send them: scheme and host in small letters, a port only where it isn't the scheme's own."""
    found = tuple(part.strip() for part in value.split(",") if part.strip())
    if wrong := next((origin for origin in found if not _is_origin(origin)), None):
        raise ValueError(
            f"must be origins, comma-separated, such as https://portal.example.com without a path; {wrong} is none"
        )
    return found


def _is_origin(text: str) -> bool:
    if not re.fullmatch(r"https?://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[1-9][0-9]{0,4})?", text):
        return False
    try:
        parts = urlsplit(text)
        return parts.port != {"http": 80, "https": 443}[parts.scheme]
    except ValueError:
        return False


def retry_schedule(value: str) -> tuple[float, ...]:
    parts = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", part) for part in parts):
        raise ValueError("must be seconds, comma-separated, one number per attempt")
    waits = tuple(float(part) for part in parts)
    if len(waits) > _MAX_ATTEMPTS or max(waits) > _MAX_RETRY_SECONDS:
        raise ValueError(f"must hold at most {_MAX_ATTEMPTS} waits of at most {_MAX_RETRY_SECONDS} seconds")
    return waits


def secret_keys(value: str) -> tuple[bytes, ...]:
    return tuple(secret_key(part.strip()) for part in value.split(","))


def secret_key(value: str) -> bytes:
    try:
        key = base64.b64decode(value, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise ValueError("must be 32 bytes in base64 (openssl rand -base64 32)")
    return key
