"""The settings of the API and the web app: where they listen, what they admit, and what protects them."""

from typing import Annotated, Literal

from steward.settings import parsing
from steward.settings.database import DatabaseSettings
from steward.settings.parsing import Address, Network
from steward.settings.setting import Setting, choice, number, switch

LegacyJwt = Literal["on", "until-removal", "off"]


class ServerSettings(DatabaseSettings, frozen=True, kw_only=True):
    host: Annotated[
        str, Setting(parsing.text, "address", "The address on which the API and the web app listen.")
    ] = "127.0.0.1"
    port: Annotated[
        int, number(0, 65535, "The port of the API and the web app; 0 takes any free one.", "port")
    ] = 8000
    connections: Annotated[
        int,
        number(
            16,
            60_000,
            "Client connections that each API process holds at most; fewer if the system allows fewer open files. "
            "At the limit, the connection that has waited longest without sending a request is closed.",
        ),
    ] = 10_000
    connections_per_address: Annotated[
        int,
        number(
            1,
            60_000,
            "Connections that one address (IPv6: one /64) may have to each API process. Trusted proxies may have any number.",
        ),
    ] = 512
    live_streams: Annotated[
        int,
        number(
            1,
            60_000,
            "Open pages that each API process keeps up to date; further ones get 503.",
        ),
    ] = 2000
    live_streams_per_organization: Annotated[
        int,
        number(
            1,
            60_000,
            "How many of these one organization may have in each API process; further ones get 429. One person or link "
            "has at most 20; a newer page ends the oldest.",
        ),
    ] = 400
    metrics_address: Annotated[
        Address | None,
        Setting(
            parsing.address,
            "`HOST:PORT` or `off`",
            "Where Prometheus may read `/metrics`. It never shares the API's address.",
        ),
    ] = Address("127.0.0.1", 9464)
    otlp_endpoint: Annotated[
        str | None,
        Setting(
            parsing.otlp_endpoint,
            "`http://` or `https://` URL",
            "The OpenTelemetry collector that gets traces and metrics over OTLP/HTTP; unset, none are sent. Needs "
            "`pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http`; the other `OTEL_*` variables are read as the standard says.",
            standard_variable="OTEL_EXPORTER_OTLP_ENDPOINT",
        ),
    ] = None
    secret_key: Annotated[
        bytes | None,
        Setting(
            parsing.secret_key,
            "32 bytes in base64",
            "Encrypts stored secrets and signs cursors. Generated into the data directory if unset; "
            "several machines over one database need the same one.",
        ),
    ] = None
    other_secret_keys: Annotated[
        tuple[bytes, ...],
        Setting(
            parsing.secret_keys,
            "keys in base64, comma-separated",
            "Keys that decrypt what they have encrypted, and encrypt nothing new: while the secret key is being changed.",
        ),
    ] = ()
    run_as: Annotated[
        str | None,
        Setting(
            parsing.text,
            "account, or `UID:GID`",
            "The account of the API and the worker when root starts them. Unset, beside an embedded database: an account without a name "
            "that owns nothing; beside another database: the first of `steward`, `postgres` and `nobody` that exists. `root` keeps root for "
            "all but PostgreSQL.",
        ),
    ] = None
    trusted_proxies: Annotated[
        tuple[Network, ...],
        Setting(
            parsing.networks,
            "networks, comma-separated",
            "Proxies whose `X-Forwarded-For` is trusted. From any other address the header is ignored.",
        ),
    ] = ()
    cors_origins: Annotated[
        tuple[str, ...],
        Setting(
            parsing.origins,
            "origins, comma-separated",
            "Origins whose pages may call the API from a browser, such as `https://portal.example.com`; none by default.",
        ),
    ] = ()
    legacy_jwt: Annotated[
        LegacyJwt,
        choice(
            "Whether the API accepts password tokens: always, until 30 June 2026, or never.",
            "on",
            "until-removal",
            "off",
        ),
    ] = "on"
    plan_rate_limits: Annotated[
        bool,
        switch("Also limit each organization to 100 (Professional) or 500 (Enterprise) requests a minute."),
    ] = False
    key_requests_per_minute: Annotated[
        int, number(1, 1_000_000, "Requests a minute that one API key, or one person's token, may make.")
    ] = 1000
