"""Every setting of a deployment: one frozen value, read from the environment once and passed down."""

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

Network = IPv4Network | IPv6Network
LegacyJwt = Literal["on", "until-removal", "off"]
LogFormat = Literal["auto", "console", "json"]

PREFIX = "STEWARD_"

# Seconds to wait before each attempt to deliver: the first at once, the last after more than three days.
RETRY_SCHEDULE = (0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
_MOST_ATTEMPTS = 50
_LONGEST_RETRY_SECONDS = 604_800


class SettingsError(Exception):
    """A setting that can't be used; the message names it."""


class Address(msgspec.Struct, frozen=True):
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The values in force. `FIELDS` says how each is written and what it means."""

    host: str = "127.0.0.1"
    port: int = 8000
    data_dir: Path = Path("data")
    database_url: str | None = None
    database_connections: int = 10
    api_processes: int = 1
    metrics_address: Address | None = Address("127.0.0.1", 9464)
    secret_key: bytes | None = None
    trusted_proxies: tuple[Network, ...] = ()
    legacy_jwt: LegacyJwt = "on"
    plan_rate_limits: bool = False
    key_requests_per_minute: int = 1000
    visitor_retention_days: int = 90
    webhook_allow_local: bool = False
    webhook_retry_schedule: tuple[float, ...] = RETRY_SCHEDULE
    log_format: LogFormat = "auto"
    worker_stale_seconds: int = 30
    shutdown_seconds: int = 30


class Field(msgspec.Struct, frozen=True):
    """How one setting is read, and the sentence that explains it."""

    name: str
    read: Callable[[str], Any]
    written: str
    meaning: str

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()


def _text(value: str) -> str:
    if not value:
        raise ValueError("must not be empty")
    return value


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(value: str) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value

    return read


def _switch(value: str) -> bool:
    return _one_of("on", "off")(value) == "on"


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        if not (value.isascii() and value.isdigit() and low <= int(value) <= high):
            raise ValueError(f"must be a whole number from {low} to {high}")
        return int(value)

    return read


def _database_url(value: str) -> str:
    if urlsplit(value).scheme not in {"postgresql", "postgres"}:
        raise ValueError("must be a URL that begins with postgresql://")
    return value


def _address(value: str) -> Address | None:
    if value == "off":
        return None
    host, colon, port = value.rpartition(":")
    if not colon or not host:
        raise ValueError("must be HOST:PORT, or off")
    return Address(host.strip("[]"), _whole(0, 65535)(port))


def _networks(value: str) -> tuple[Network, ...]:
    try:
        return tuple(ip_network(part.strip()) for part in value.split(",") if part.strip())
    except ValueError as error:
        raise ValueError(f"must be addresses or networks, comma-separated ({error})") from None


def _schedule(value: str) -> tuple[float, ...]:
    parts = [part.strip() for part in value.split(",")]
    if not all(re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", part) for part in parts):
        raise ValueError("must be seconds, comma-separated, one number per attempt")
    waits = tuple(float(part) for part in parts)
    if len(waits) > _MOST_ATTEMPTS or max(waits) > _LONGEST_RETRY_SECONDS:
        raise ValueError(
            f"must hold at most {_MOST_ATTEMPTS} waits of at most {_LONGEST_RETRY_SECONDS} seconds"
        )
    return waits


def _secret_key(value: str) -> bytes:
    try:
        key = base64.b64decode(value, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise ValueError("must be 32 bytes in base64 (openssl rand -base64 32)")
    return key


_ON_OFF = "`on` or `off`"
FIELDS = (
    Field("host", _text, "address", "Where the API and the web app listen."),
    Field("port", _whole(0, 65535), "port", "The port of the API and the web app; 0 takes any free one."),
    Field("data_dir", Path, "path", "Holds the embedded database and the generated secret key."),
    Field(
        "database_url",
        _database_url,
        "URL",
        "A PostgreSQL 15 or newer to use instead of the embedded one, such as `postgresql://user:password@host/name`.",
    ),
    Field(
        "database_connections", _whole(2, 500), "number", "Connections that each API process keeps at most."
    ),
    Field(
        "api_processes",
        _whole(1, 64),
        "number",
        "API processes that `steward up` starts; they share the port.",
    ),
    Field(
        "metrics_address",
        _address,
        "`HOST:PORT` or `off`",
        "Where Prometheus may read `/metrics`. It never shares the API's address.",
    ),
    Field(
        "secret_key",
        _secret_key,
        "32 bytes in base64",
        "Encrypts stored secrets and signs cursors. Generated into the data directory when absent; "
        "several machines over one database need the same one.",
    ),
    Field(
        "trusted_proxies",
        _networks,
        "networks, comma-separated",
        "Proxies whose `X-Forwarded-For` is believed. From anyone else the header is ignored.",
    ),
    Field(
        "legacy_jwt",
        _one_of("on", "until-removal", "off"),
        "`on`, `until-removal` or `off`",
        "Whether password tokens still open the API: always, until 30 June 2026, or never.",
    ),
    Field(
        "plan_rate_limits",
        _switch,
        _ON_OFF,
        "Also limit each organization to 100 (Professional) or 500 (Enterprise) requests a minute.",
    ),
    Field(
        "key_requests_per_minute",
        _whole(1, 1_000_000),
        "number",
        "Requests a minute that one API key, or one person's token, may make.",
    ),
    Field(
        "visitor_retention_days",
        _whole(1, 3650),
        "days",
        "How long after a visit the visitor's name, e-mail address and company are kept; then they are erased for good.",
    ),
    Field(
        "webhook_allow_local",
        _switch,
        _ON_OFF,
        "Lets webhooks use http and private addresses. For trying things on one's own machine only.",
    ),
    Field(
        "webhook_retry_schedule",
        _schedule,
        "seconds, comma-separated",
        "How long to wait before each attempt to deliver an event, the first included; up to 20 % are added by chance.",
    ),
    Field(
        "log_format",
        _one_of("auto", "console", "json"),
        "`auto`, `console` or `json`",
        "How log lines look; `auto` writes for people on a terminal and JSON elsewhere.",
    ),
    Field(
        "worker_stale_seconds",
        _whole(5, 3600),
        "seconds",
        "How old the newest worker heartbeat may be before `/health/ready` answers 503.",
    ),
    Field(
        "shutdown_seconds",
        _whole(1, 600),
        "seconds",
        "How long requests in flight may take to finish after SIGTERM.",
    ),
)
_BY_VARIABLE = {field.variable: field for field in FIELDS}

# Variables with the prefix that aren't settings of the service: the supervisor's word to its children, and the
# switches of our own test suite and benchmarks.
NOT_SETTINGS = frozenset({"STEWARD_SUPERVISED", "STEWARD_TEST_BROWSER"})


def from_environment(environment: Mapping[str, str], **overrides: Any) -> Settings:
    """Reads all `STEWARD_*` variables; an override (a command-line option) wins where it isn't None."""
    values = dict(_read_all(environment))
    values |= {name: value for name, value in overrides.items() if value is not None}
    return Settings(**values)


def _read_all(environment: Mapping[str, str]) -> Iterable[tuple[str, Any]]:
    for variable, text in sorted(environment.items()):
        if not variable.startswith(PREFIX) or variable in NOT_SETTINGS:
            continue
        field = _BY_VARIABLE.get(variable)
        if field is None:
            raise SettingsError(f"{variable} is not a setting of Steward; see docs/reference/settings.md")
        try:
            yield field.name, field.read(text)
        except ValueError as error:
            raise SettingsError(f"{variable} {error}") from None
