"""Every setting of a deployment: one frozen value, read from the environment once and passed down."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from steward.settings import values
from steward.settings.values import Address as Address
from steward.settings.values import Network as Network

LegacyJwt = Literal["on", "until-removal", "off"]
LogFormat = Literal["auto", "console", "json"]

PREFIX = "STEWARD_"

# Seconds to wait before each attempt to deliver: the first at once, the last after more than three days.
RETRY_SCHEDULE = (0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)


class SettingsError(Exception):
    """A setting that can't be used; the message names it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The values in force. `FIELDS` says how each is written and what it means."""

    host: str = "127.0.0.1"
    port: int = 8000
    data_dir: Path = Path("data")
    database_url: str | None = None
    database_connections: int = 10
    api_processes: int = 1
    connections: int = 10_000
    connections_per_address: int = 512
    metrics_address: Address | None = Address("127.0.0.1", 9464)
    secret_key: bytes | None = None
    run_as: str | None = None
    trusted_proxies: tuple[Network, ...] = ()
    legacy_jwt: LegacyJwt = "on"
    plan_rate_limits: bool = False
    key_requests_per_minute: int = 1000
    visitor_retention_days: int = 90
    telemetry_retention_days: int = 400
    telemetry_queue: int = 20_000
    connectivity_check_seconds: int = 120
    mqtt_url: str | None = None
    webhook_allow_local: bool = False
    webhook_retry_schedule: tuple[float, ...] = RETRY_SCHEDULE
    public_url: str | None = None
    smtp_url: str | None = None
    smtp_from: str = "steward@localhost"
    log_format: LogFormat = "auto"
    worker_stale_seconds: int = 30
    drain_seconds: int = 5
    shutdown_seconds: int = 30


class Setting(msgspec.Struct, frozen=True):
    """How one setting is read, and the sentence that explains it."""

    name: str
    read: Callable[[str], Any]
    written: str
    meaning: str

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper()


_ON_OFF = "`on` or `off`"
SETTINGS = (
    Setting("host", values.text, "address", "Where the API and the web app listen."),
    Setting(
        "port", values.whole(0, 65535), "port", "The port of the API and the web app; 0 takes any free one."
    ),
    Setting("data_dir", Path, "path", "Holds the embedded database and the generated secret key."),
    Setting(
        "database_url",
        values.database_url,
        "URL",
        "A PostgreSQL 15 or newer to use instead of the embedded one, such as `postgresql://user:password@host/name`.",
    ),
    Setting(
        "database_connections",
        values.whole(2, 500),
        "number",
        "Connections that each API process keeps at most.",
    ),
    Setting(
        "api_processes",
        values.whole(1, 64),
        "number",
        "API processes that `steward up` starts; they share the port.",
    ),
    Setting(
        "connections",
        values.whole(16, 60_000),
        "number",
        "Connections of callers that each API process holds at most; fewer where the system allows it fewer files. "
        "Where there is no room, the one that has waited longest without sending a request is closed.",
    ),
    Setting(
        "connections_per_address",
        values.whole(1, 60_000),
        "number",
        "Connections that one address (IPv6: one /64) may have to each API process. Trusted proxies may have any number.",
    ),
    Setting(
        "metrics_address",
        values.address,
        "`HOST:PORT` or `off`",
        "Where Prometheus may read `/metrics`. It never shares the API's address.",
    ),
    Setting(
        "secret_key",
        values.secret_key,
        "32 bytes in base64",
        "Encrypts stored secrets and signs cursors. Generated into the data directory when absent; "
        "several machines over one database need the same one.",
    ),
    Setting(
        "run_as",
        values.text,
        "account, or `UID:GID`",
        "Started by root: whom the API, the worker and a new embedded database run as. Without it the first of `steward`, "
        "`postgres` and `nobody` that exists; `root` keeps root for all but PostgreSQL.",
    ),
    Setting(
        "trusted_proxies",
        values.networks,
        "networks, comma-separated",
        "Proxies whose `X-Forwarded-For` is believed. From anyone else the header is ignored.",
    ),
    Setting(
        "legacy_jwt",
        values.one_of("on", "until-removal", "off"),
        "`on`, `until-removal` or `off`",
        "Whether password tokens still open the API: always, until 30 June 2026, or never.",
    ),
    Setting(
        "plan_rate_limits",
        values.switch,
        _ON_OFF,
        "Also limit each organization to 100 (Professional) or 500 (Enterprise) requests a minute.",
    ),
    Setting(
        "key_requests_per_minute",
        values.whole(1, 1_000_000),
        "number",
        "Requests a minute that one API key, or one person's token, may make.",
    ),
    Setting(
        "visitor_retention_days",
        values.whole(1, 3650),
        "days",
        "How long after a visit the visitor's name, e-mail address and company are kept; then they are erased for good.",
    ),
    Setting(
        "telemetry_retention_days",
        values.whole(1, 3650),
        "days",
        "How long the history of readings is kept; a reading with an older timestamp is refused.",
    ),
    Setting(
        "telemetry_queue",
        values.whole(1_000, 1_000_000),
        "number",
        "Readings that may wait to be stored, in each process; beyond that, HTTP answers 503 and MQTT is not read.",
    ),
    Setting(
        "connectivity_check_seconds",
        values.whole(1, 3600),
        "seconds",
        "How often it is checked which devices have gone silent or come back.",
    ),
    Setting(
        "mqtt_url",
        values.mqtt_url,
        "`mqtt://` or `mqtts://` URL",
        "The broker to read telemetry from, with user and password where it wants them; without it there is no MQTT.",
    ),
    Setting(
        "webhook_allow_local",
        values.switch,
        _ON_OFF,
        "Lets webhooks use http and private addresses. For trying things on one's own machine only.",
    ),
    Setting(
        "webhook_retry_schedule",
        values.schedule,
        "seconds, comma-separated",
        "How long to wait before each attempt to deliver an event, the first included; up to 20 % are added by chance.",
    ),
    Setting(
        "public_url",
        values.public_url,
        "`https://` or `http://` URL",
        "Where people reach the service, as the beginning of links in invitations. Without it the link begins as the "
        "request came; set it where mail is sent.",
    ),
    Setting(
        "smtp_url",
        values.smtp_url,
        "`smtp://` or `smtps://` URL",
        "The server that takes mail, with user and password where it wants them; without it no mail is sent.",
    ),
    Setting("smtp_from", values.sender, "e-mail address", "Whom mail comes from."),
    Setting(
        "log_format",
        values.one_of("auto", "console", "json"),
        "`auto`, `console` or `json`",
        "How log lines look; `auto` writes for people on a terminal and JSON elsewhere.",
    ),
    Setting(
        "worker_stale_seconds",
        values.whole(5, 3600),
        "seconds",
        "How old the newest worker heartbeat may be before `/health/ready` answers 503.",
    ),
    Setting(
        "drain_seconds",
        values.whole(0, 600),
        "seconds",
        "How long after SIGTERM an API process goes on serving while `/health/ready` already answers 503 and every answer "
        "is its connection's last; more than a load balancer takes to notice.",
    ),
    Setting(
        "shutdown_seconds",
        values.whole(1, 600),
        "seconds",
        "How long a process may take to stop after SIGTERM, whatever hangs; requests in flight have most of it.",
    ),
)
_BY_VARIABLE = {field.variable: field for field in SETTINGS}

# Variables with the prefix that aren't settings of the service: the supervisor's words to its children, and the
# switches of our own test suite and benchmarks.
NOT_SETTINGS = frozenset(
    {
        "STEWARD_SUPERVISED",
        "STEWARD_LISTEN_FD",
        "STEWARD_METRICS_FD",
        "STEWARD_READY_FD",
        "STEWARD_TEST_BROKER",
        "STEWARD_TEST_BROWSER",
    }
)


def from_environment(environment: Mapping[str, str], **overrides: Any) -> Settings:
    """Reads all `STEWARD_*` variables; an override (a command-line option) wins where it isn't None."""
    given = dict(_read_all(environment))
    given |= {name: value for name, value in overrides.items() if value is not None}
    return Settings(**given)


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
