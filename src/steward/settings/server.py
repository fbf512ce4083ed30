"""The settings of the database and of the processes that share it: where they listen, what they admit, and what protects them."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from steward.settings import parsing
from steward.settings.parsing import Address, Network
from steward.settings.setting import Setting, choice, number, switch

_MAX_PROCESSES = 8
_CONNECTIONS = 10
# Of all API processes of one `steward up` together, unless configured otherwise.
_ALL_CONNECTIONS = 40

LegacyJwt = Literal["on", "until-removal", "off"]


class ServerSettings(msgspec.Struct, frozen=True, kw_only=True):
    data_dir: Annotated[
        Path,
        Setting(
            parsing.path,
            "path",
            "Holds the embedded database and the generated secret key.",
        ),
    ] = Path("data")
    database_url: Annotated[
        str | None,
        Setting(
            parsing.database_url,
            "URL",
            "A PostgreSQL 15 or newer to use instead of the embedded one, such as `postgresql://user:password@host/name`; "
            "or a pooler in front of it.",
        ),
    ] = None
    database_listen_url: Annotated[
        str | None,
        Setting(
            parsing.database_url,
            "URL",
            "The PostgreSQL server itself if `STEWARD_DATABASE_URL` is a pooler in transaction mode: for LISTEN, heartbeats "
            "and locks that last longer than a transaction.",
        ),
    ] = None
    database_replica_urls: Annotated[
        tuple[str, ...],
        Setting(
            parsing.database_urls,
            "URLs, comma-separated",
            "Streaming replicas of the database, each with an address of its own, that answer exports, reports and reads of history "
            "if they have caught up; otherwise the database answers.",
        ),
    ] = ()
    database_connections: Annotated[
        int | None,
        number(
            2,
            500,
            "Connections that each process keeps at most for its statements. By default 10; more than four API "
            "processes of one `steward up` share 40.",
        ),
    ] = None
    api_processes: Annotated[
        int | None,
        number(
            1,
            64,
            "API processes that `steward up` starts; they share the port. By default one per core, and at most 8.",
        ),
    ] = None
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

    @property
    def pool_size(self) -> int:
        return self.database_connections or _CONNECTIONS

    def process_count(self, cores: int) -> int:
        """The API processes of one `steward up` on a machine with so many cores."""
        return self.api_processes or min(max(cores, 1), _MAX_PROCESSES)

    def pool_size_among(self, processes: int) -> int:
        """The pool of each of so many API processes on one machine."""
        return self.database_connections or min(_CONNECTIONS, max(2, _ALL_CONNECTIONS // processes))
