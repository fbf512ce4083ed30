"""The settings of the database, and of the processes that share it."""

from pathlib import Path
from typing import Annotated

import msgspec

from steward.settings import parsing
from steward.settings.setting import Setting, number

_MAX_PROCESSES = 8
_CONNECTIONS = 10
# Of all API processes of one `steward up` together, unless configured otherwise.
_ALL_CONNECTIONS = 40


class DatabaseSettings(msgspec.Struct, frozen=True, kw_only=True):
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

    @property
    def pool_size(self) -> int:
        return self.database_connections or _CONNECTIONS

    def process_count(self, cores: int) -> int:
        """The API processes of one `steward up` on a machine with so many cores."""
        return self.api_processes or min(max(cores, 1), _MAX_PROCESSES)

    def pool_size_among(self, processes: int) -> int:
        """The pool of each of so many API processes on one machine."""
        return self.database_connections or min(_CONNECTIONS, max(2, _ALL_CONNECTIONS // processes))
