"""Every setting of a deployment, each declared once; those of the database and of the server in a module of their own."""

from collections.abc import Iterator
from typing import Annotated, Literal, get_args

import msgspec

from steward.settings import parsing
from steward.settings.server import LegacyJwt as LegacyJwt
from steward.settings.server import ServerSettings
from steward.settings.setting import Setting, choice, days, number, seconds, switch

LogFormat = Literal["auto", "console", "json"]
LogLevel = Literal["debug", "info", "warning"]

# Seconds to wait before each attempt to deliver: the first at once, the last after more than three days.
RETRY_SCHEDULE = (0, 5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)


class Settings(ServerSettings, frozen=True, kw_only=True):
    """The values in force. A field is all there is to a setting: its type, how it is written, its meaning and its default."""

    visitor_retention_days: Annotated[
        int,
        days(
            1,
            3650,
            "How long after a visit the visitor's name, e-mail address and company are kept; then they are erased for good.",
        ),
    ] = 90
    telemetry_retention_days: Annotated[
        int,
        days(
            1,
            3650,
            "How long the history of readings is kept; readings with an older timestamp are refused.",
        ),
    ] = 400
    telemetry_queue: Annotated[
        int,
        number(
            1_000,
            1_000_000,
            "Readings that may wait to be stored, in each process; beyond that, HTTP answers 503 and MQTT is not read.",
        ),
    ] = 20_000
    connectivity_check_seconds: Annotated[
        int,
        seconds(1, 3600, "How often the worker checks which devices have gone offline or come back."),
    ] = 120
    mqtt_url: Annotated[
        str | None,
        Setting(
            parsing.server_url("mqtt", "mqtts"),
            "`mqtt://` or `mqtts://` URL",
            "The broker to read telemetry from, with user and password if it needs them; unset, there is no MQTT.",
        ),
    ] = None
    webhook_allow_local: Annotated[
        bool,
        switch("Lets webhooks use http and private addresses. Only for trying things on your own machine."),
    ] = False
    webhook_retry_schedule: Annotated[
        tuple[float, ...],
        Setting(
            parsing.retry_schedule,
            "seconds, comma-separated",
            "How long to wait before each attempt to deliver an event, the first included; up to 20 % are added at random.",
        ),
    ] = RETRY_SCHEDULE
    public_url: Annotated[
        str | None,
        Setting(
            parsing.public_url,
            "`https://` or `http://` URL",
            "The address at which people reach the service; links in invitations and for new passwords start with it. Unset, a link "
            "starts as the request came, and no link for a forgotten password is mailed; set it if mail is sent.",
        ),
    ] = None
    smtp_url: Annotated[
        str | None,
        Setting(
            parsing.server_url("smtp", "smtps"),
            "`smtp://` or `smtps://` URL",
            "The server that sends mail, with user and password if it needs them; unset, no mail is sent.",
        ),
    ] = None
    smtp_from: Annotated[str, Setting(parsing.email_address, "e-mail address", "The sender of mail.")] = (
        "steward@localhost"
    )
    demo_organization: Annotated[
        str | None,
        Setting(
            parsing.text,
            "identifier",
            "The organization whose devices and people the worker simulates. `steward up --demo` sets it for its worker.",
        ),
    ] = None
    log_format: Annotated[
        LogFormat,
        choice(
            "The format of log lines; `auto` is for people on a terminal and JSON elsewhere.",
            "auto",
            "console",
            "json",
        ),
    ] = "auto"
    log_level: Annotated[
        LogLevel,
        choice(
            "What is logged: `debug` also logs health probes, `warning` leaves out the lines of requests and deliveries.",
            "debug",
            "info",
            "warning",
        ),
    ] = "info"
    worker_stale_seconds: Annotated[
        int,
        seconds(5, 3600, "How old the newest worker heartbeat may be before `/health/ready` answers 503."),
    ] = 30
    drain_seconds: Annotated[
        int,
        seconds(
            0,
            600,
            "How long after SIGTERM an API process goes on serving while `/health/ready` already answers 503 and every answer "
            "is its connection's last; more than a load balancer takes to notice.",
        ),
    ] = 5
    shutdown_seconds: Annotated[
        int,
        seconds(
            1,
            600,
            "How long a process may take to stop after SIGTERM, whatever hangs; requests in flight have most of it.",
        ),
    ] = 30


def _declared() -> Iterator[Setting]:
    for field in msgspec.structs.fields(Settings):
        _, setting = get_args(field.type)
        yield msgspec.structs.replace(setting, name=field.name)


SETTINGS = tuple(_declared())
