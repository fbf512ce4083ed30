"""Where the database is, and how it is used."""

from typing import Annotated

import msgspec

from steward.settings import parsing
from steward.settings.setting import Setting


class DatabaseSettings(msgspec.Struct, frozen=True, kw_only=True):
    database_url: Annotated[
        str | None,
        Setting(
            parse=parsing.database_url,
            format="URL",
            meaning="A PostgreSQL 15 or newer to use instead of the embedded one, such as `postgresql://user:password@host/name`.",
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
        int,
        Setting(
            parse=parsing.whole_number(2, 500),
            format="number",
            meaning="Connections that each API process keeps at most.",
        ),
    ] = 10
