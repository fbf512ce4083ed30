"""Brings a database to the schema of this code, with the partitions of all slices and what they are searched by.

Slices register with the kit how their tables are cut, which of them are searched and what follows from an event when they are
loaded; `steward.slices` loads them all.
"""

from steward.events.feed.jobs import continue_positions
from steward.events.feed.queries import is_behind
from steward.kit.db.connection import PATIENT_SECONDS, connect
from steward.kit.db.pooler import require_usable_pooler
from steward.kit.db.search_columns import write_search_columns
from steward.migrations import migrate as migrations
from steward.migrations.migrate import MigrationError
from steward.slices import TABLE_KINDS


async def migrate(url: str, listen_url: str | None = None, *, distribute: bool = False) -> list[str]:
    """Applies what is missing; returns the names of the files that it applied.

    Over the address that gives a session where there are two: its locks and its patience last longer than a transaction.
    """
    await require_usable_pooler(url, listen_url)
    url = listen_url or url
    applied = await migrations.migrate(url, TABLE_KINDS, distribute=distribute)
    await continue_positions(url)
    await write_search_columns(url)
    return applied


async def require_migrated(url: str, listen_url: str | None = None) -> None:
    """For those who use the schema and don't make it."""
    await require_usable_pooler(url, listen_url)
    async with await connect(listen_url or url, timeout=PATIENT_SECONDS) as connection:
        await migrations.require_migrated(connection)
        if await is_behind(connection):
            raise MigrationError(
                "the database was restored from another server and its events have no order yet: run `steward migrate`"
            )
