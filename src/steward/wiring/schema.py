"""Brings a database to the schema of this code, with the partitions of all slices.

Slices say how their tables are cut and what follows from an event when they are loaded: here they all are.
"""

from steward.events import queries as events
from steward.events.feed import queries as feed
from steward.kit.db.migrate import migrate as run_migrations
from steward.telemetry import queries as telemetry
from steward.webhooks.deliveries import queries as deliveries

REGISTERING = (events, telemetry, deliveries)


async def migrate(url: str) -> list[str]:
    """Applies what is missing; returns the names of the files that it applied."""
    applied = await run_migrations(url)
    await feed.continue_positions(url)
    return applied
