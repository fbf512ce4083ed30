"""How values are written in the environment; what can't be read raises a ValueError that says what is wanted."""

import base64
import binascii
import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from urllib.parse import urlsplit

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


def database_url(value: str) -> str:
    if urlsplit(value).scheme not in {"postgresql", "postgres"}:
        raise ValueError("must be a URL that begins with postgresql://")
    return value


def mqtt_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"mqtt", "mqtts"} or not parts.hostname or parts.port == 0:
        raise ValueError("must be a URL that begins with mqtt:// or mqtts://")
    return value


def smtp_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"smtp", "smtps"} or not parts.hostname or parts.port == 0:
        raise ValueError("must be a URL that begins with smtp:// or smtps://")
    return value


def public_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("must be a URL that begins with https:// or http://")
    return value.rstrip("/")


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


def retry_schedule(value: str) -> tuple[float, ...]:
    parts = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", part) for part in parts):
        raise ValueError("must be seconds, comma-separated, one number per attempt")
    waits = tuple(float(part) for part in parts)
    if len(waits) > _MAX_ATTEMPTS or max(waits) > _MAX_RETRY_SECONDS:
        raise ValueError(f"must hold at most {_MAX_ATTEMPTS} waits of at most {_MAX_RETRY_SECONDS} seconds")
    return waits


def secret_key(value: str) -> bytes:
    try:
        key = base64.b64decode(value, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise ValueError("must be 32 bytes in base64 (openssl rand -base64 32)")
    return key
