"""Brings a database to the schema of this code, with the partitions of all slices and what they are searched by.

Slices say how their tables are cut, which of them are searched and what follows from an event when they are loaded: here they
all are.
"""

from steward.asset_types import queries as asset_types
from steward.assets import queries as assets
from steward.bookings.resources import queries as resources
from steward.decks import queries as decks
from steward.events import queries as events
from steward.events.feed.jobs import continue_positions
from steward.events.feed.queries import is_behind
from steward.forms import queries as forms
from steward.kit.db.connection import PATIENT_SECONDS, connect
from steward.kit.db.pooler import require_usable_pooler
from steward.kit.db.search_columns import write_search_columns
from steward.locations import queries as locations
from steward.migrations import migrate as migrations
from steward.migrations.migrate import MigrationError
from steward.roles import queries as roles
from steward.sor_schedules import queries as schedules
from steward.sor_schedules.items import queries as items
from steward.telemetry.folding import queries as telemetry
from steward.users import queries as users
from steward.visitors import queries as visitors
from steward.webhooks.deliveries import queries as deliveries
from steward.work_orders import queries as work_orders

REGISTERING = (events, telemetry, deliveries)
SEARCHED = (
    users,
    roles,
    locations,
    asset_types,
    assets,
    schedules,
    items,
    forms,
    decks,
    work_orders,
    resources,
    visitors,
)


async def migrate(url: str, listen_url: str | None = None, *, distribute: bool = False) -> list[str]:
    """Applies what is missing; returns the names of the files that it applied.

    Over the address that gives a session where there are two: its locks and its patience last longer than a transaction.
    """
    await require_usable_pooler(url, listen_url)
    url = listen_url or url
    applied = await migrations.migrate(url, distribute=distribute)
    await continue_positions(url)
    await write_search_columns(url)
    return applied


async def require_migrated(url: str, listen_url: str | None = None) -> None:
    """For those who use the schema and don't make it."""
    await require_usable_pooler(url, listen_url)
    connection = await connect(listen_url or url, timeout=PATIENT_SECONDS)
    try:
        await migrations.require_migrated(connection)
        if await is_behind(connection):
            raise MigrationError(
                "the database was restored from another server and its events have no order yet: run `steward migrate`"
            )
    finally:
        await connection.close()
