"""Every setting of a deployment, each declared once."""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

import msgspec

from steward.settings import parsing
from steward.settings.database import DatabaseSettings
from steward.settings.parsing import Address, Network
from steward.settings.setting import Setting

LegacyJwt = Literal["on", "until-removal", "off"]
LogFormat = Literal["auto", "console", "json"]
LogLevel = Literal["debug", "info", "warning"]

# Seconds to wait before each attempt to deliver: the first at once, the last after more than three days.
RETRY_SCHEDULE = (0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)

_ON_OFF = "`on` or `off`"


class Settings(DatabaseSettings, frozen=True, kw_only=True):
    """The values in force. A field is all there is to a setting: its type, how it is written, its meaning and its default."""

    host: Annotated[
        str, Setting(parse=parsing.text, format="address", meaning="Where the API and the web app listen.")
    ] = "127.0.0.1"
    port: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(0, 65535),
            format="port",
            meaning="The port of the API and the web app; 0 takes any free one.",
        ),
    ] = 8000
    connections: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(16, 60_000),
            format="number",
            meaning="Connections of callers that each API process holds at most; fewer where the system allows it fewer files. "
            "Where there is no room, the one that has waited longest without sending a request is closed.",
        ),
    ] = 10_000
    connections_per_address: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 60_000),
            format="number",
            meaning="Connections that one address (IPv6: one /64) may have to each API process. Trusted proxies may have any number.",
        ),
    ] = 512
    live_streams: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 60_000),
            format="number",
            meaning="Open pages that each API process tells of changes by themselves; beyond that they answer 503.",
        ),
    ] = 2000
    live_streams_per_organization: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 60_000),
            format="number",
            meaning="How many of these one organization may have in each API process; beyond that they answer 429. One person or link "
            "has at most 20, of which a newer page ends the oldest.",
        ),
    ] = 400
    metrics_address: Annotated[
        Address | None,
        Setting(
            parse=parsing.address,
            format="`HOST:PORT` or `off`",
            meaning="Where Prometheus may read `/metrics`. It never shares the API's address.",
        ),
    ] = Address("127.0.0.1", 9464)
    otlp_endpoint: Annotated[
        str | None,
        Setting(
            parse=parsing.otlp_endpoint,
            format="`http://` or `https://` URL",
            meaning="The OpenTelemetry collector that gets traces and metrics over OTLP/HTTP; without it there are none. Needs "
            "`pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http`; the other `OTEL_*` variables are read as the standard says.",
            standard_variable="OTEL_EXPORTER_OTLP_ENDPOINT",
        ),
    ] = None
    secret_key: Annotated[
        bytes | None,
        Setting(
            parse=parsing.secret_key,
            format="32 bytes in base64",
            meaning="Encrypts stored secrets and signs cursors. Generated into the data directory when absent; "
            "several machines over one database need the same one.",
        ),
    ] = None
    other_secret_keys: Annotated[
        tuple[bytes, ...],
        Setting(
            parse=parsing.secret_keys,
            format="keys in base64, comma-separated",
            meaning="Keys that open what they have sealed, and seal nothing: for while the secret key is being changed.",
        ),
    ] = ()
    run_as: Annotated[
        str | None,
        Setting(
            parse=parsing.text,
            format="account, or `UID:GID`",
            meaning="Started by root: whom the API and the worker run as. Without it, beside an embedded database, an account without a name "
            "that owns nothing; beside another database the first of `steward`, `postgres` and `nobody` that exists. `root` keeps root for "
            "all but PostgreSQL.",
        ),
    ] = None
    trusted_proxies: Annotated[
        tuple[Network, ...],
        Setting(
            parse=parsing.networks,
            format="networks, comma-separated",
            meaning="Proxies whose `X-Forwarded-For` is believed. From anyone else the header is ignored.",
        ),
    ] = ()
    cors_origins: Annotated[
        tuple[str, ...],
        Setting(
            parse=parsing.origins,
            format="origins, comma-separated",
            meaning="Origins whose pages may call the API from a browser, such as `https://portal.example.com`; none by default.",
        ),
    ] = ()
    legacy_jwt: Annotated[
        LegacyJwt,
        Setting(
            parse=parsing.one_of("on", "until-removal", "off"),
            format="`on`, `until-removal` or `off`",
            meaning="Whether password tokens still open the API: always, until 30 June 2026, or never.",
        ),
    ] = "on"
    plan_rate_limits: Annotated[
        bool,
        Setting(
            parse=parsing.on_off,
            format=_ON_OFF,
            meaning="Also limit each organization to 100 (Professional) or 500 (Enterprise) requests a minute.",
        ),
    ] = False
    key_requests_per_minute: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 1_000_000),
            format="number",
            meaning="Requests a minute that one API key, or one person's token, may make.",
        ),
    ] = 1000
    visitor_retention_days: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 3650),
            format="days",
            meaning="How long after a visit the visitor's name, e-mail address and company are kept; then they are erased for good.",
        ),
    ] = 90
    telemetry_retention_days: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 3650),
            format="days",
            meaning="How long the history of readings is kept; a reading with an older timestamp is refused.",
        ),
    ] = 400
    telemetry_queue: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1_000, 1_000_000),
            format="number",
            meaning="Readings that may wait to be stored, in each process; beyond that, HTTP answers 503 and MQTT is not read.",
        ),
    ] = 20_000
    connectivity_check_seconds: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 3600),
            format="seconds",
            meaning="How often it is checked which devices have gone silent or come back.",
        ),
    ] = 120
    mqtt_url: Annotated[
        str | None,
        Setting(
            parse=parsing.mqtt_url,
            format="`mqtt://` or `mqtts://` URL",
            meaning="The broker to read telemetry from, with user and password where it wants them; without it there is no MQTT.",
        ),
    ] = None
    webhook_allow_local: Annotated[
        bool,
        Setting(
            parse=parsing.on_off,
            format=_ON_OFF,
            meaning="Lets webhooks use http and private addresses. For trying things on one's own machine only.",
        ),
    ] = False
    webhook_retry_schedule: Annotated[
        tuple[float, ...],
        Setting(
            parse=parsing.retry_schedule,
            format="seconds, comma-separated",
            meaning="How long to wait before each attempt to deliver an event, the first included; up to 20 % are added by chance.",
        ),
    ] = RETRY_SCHEDULE
    public_url: Annotated[
        str | None,
        Setting(
            parse=parsing.public_url,
            format="`https://` or `http://` URL",
            meaning="Where people reach the service, as the beginning of links in invitations and for new passwords. Without it a link begins "
            "as the request came, and no link for a forgotten password is mailed; set it where mail is sent.",
        ),
    ] = None
    smtp_url: Annotated[
        str | None,
        Setting(
            parse=parsing.smtp_url,
            format="`smtp://` or `smtps://` URL",
            meaning="The server that takes mail, with user and password where it wants them; without it no mail is sent.",
        ),
    ] = None
    smtp_from: Annotated[
        str, Setting(parse=parsing.email_address, format="e-mail address", meaning="Whom mail comes from.")
    ] = "steward@localhost"
    demo_organization: Annotated[
        str | None,
        Setting(
            parse=parsing.text,
            format="identifier",
            meaning="The organization whose devices and people the worker plays. `steward up --demo` sets it for its worker.",
        ),
    ] = None
    log_format: Annotated[
        LogFormat,
        Setting(
            parse=parsing.one_of("auto", "console", "json"),
            format="`auto`, `console` or `json`",
            meaning="How log lines look; `auto` writes for people on a terminal and JSON elsewhere.",
        ),
    ] = "auto"
    log_level: Annotated[
        LogLevel,
        Setting(
            parse=parsing.one_of("debug", "info", "warning"),
            format="`debug`, `info` or `warning`",
            meaning="What is logged: `debug` also tells of health probes, `warning` leaves out the lines of requests and deliveries.",
        ),
    ] = "info"
    worker_stale_seconds: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(5, 3600),
            format="seconds",
            meaning="How old the newest worker heartbeat may be before `/health/ready` answers 503.",
        ),
    ] = 30
    drain_seconds: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(0, 600),
            format="seconds",
            meaning="How long after SIGTERM an API process goes on serving while `/health/ready` already answers 503 and every answer "
            "is its connection's last; more than a load balancer takes to notice.",
        ),
    ] = 5
    shutdown_seconds: Annotated[
        int,
        Setting(
            parse=parsing.whole_number(1, 600),
            format="seconds",
            meaning="How long a process may take to stop after SIGTERM, whatever hangs; requests in flight have most of it.",
        ),
    ] = 30


def _declared() -> Iterator[Setting]:
    for field in msgspec.structs.fields(Settings):
        _, setting = get_args(field.type)
        yield msgspec.structs.replace(setting, name=field.name)


SETTINGS = tuple(_declared())
