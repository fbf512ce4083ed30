"""The settings of the database, and of the processes that share it."""

from pathlib import Path
from typing import Annotated

import msgspec

from steward.settings import parsing
from steward.settings.setting import Setting

_MAX_PROCESSES = 8
_CONNECTIONS = 10
# Of all API processes of one `steward up` together, where nobody says otherwise.
_ALL_CONNECTIONS = 40


class DatabaseSettings(msgspec.Struct, frozen=True, kw_only=True):
    data_dir: Annotated[
        Path,
        Setting(
            parse=parsing.path,
            format="path",
            meaning="Holds the embedded database and the generated secret key.",
        ),
    ] = Path("data")
    database_url: Annotated[
        str | None,
        Setting(
            parse=parsing.database_url,
            format="URL",
            meaning="A PostgreSQL 15 or newer to use instead of the embedded one, such as `postgresql://user:password@host/name`; "
            "or a pooler before it.",
        ),
    ] = None
    database_listen_url: Annotated[
        str | None,
        Setting(
            parse=parsing.database_url,
            format="URL",
            meaning="The PostgreSQL server itself, where `STEWARD_DATABASE_URL` is that of a pooler in transaction mode: for what "
            "listens, gives signs of life or holds a lock for longer than a transaction.",
        ),
    ] = None
    database_replica_urls: Annotated[
        tuple[str, ...],
        Setting(
            parse=parsing.database_urls,
            format="URLs, comma-separated",
            meaning="Streaming replicas of the database, each by an address of its own, that answer exports, reports and reads of history "
            "as far as they have caught up; the database answers where none has.",
        ),
    ] = ()
    database_connections: Annotated[
        int | None,
        Setting(
            parse=parsing.whole_number(2, 500),
            format="number",
            meaning="Connections that each process keeps at most for its statements. Without it 10; 40 are divided among the API "
            "processes of one `steward up`, where these are more than four.",
        ),
    ] = None
    api_processes: Annotated[
        int | None,
        Setting(
            parse=parsing.whole_number(1, 64),
            format="number",
            meaning="API processes that `steward up` starts; they share the port. Without it one per core, and at most 8.",
        ),
    ] = None

    @property
    def pool_size(self) -> int:
        return self.database_connections or _CONNECTIONS

    def process_count(self, cores: int) -> int:
        """The API processes of one `steward up` on a machine with so many cores."""
        return self.api_processes or min(max(cores, 1), _MAX_PROCESSES)

    def pool_size_among(self, processes: int) -> int:
        """Of each API process, where there are so many of them on one machine."""
        return self.database_connections or min(_CONNECTIONS, max(2, _ALL_CONNECTIONS // processes))
