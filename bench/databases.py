"""Databases of a benchmark's server."""

import asyncio

from tests.support.databases import database_named, fetch_rows, run_commands

from steward.wiring.schema import migrate


async def make_database(server_url: str, name: str) -> str:
    """Another one on the same server, with the tables of the service; its URL."""
    await fetch_rows(server_url, f"CREATE DATABASE {name}")
    url = database_named(server_url, name)
    await migrate(url)
    return url


def tidy(url: str) -> None:
    """Vacuums now, so that what one scenario left behind is not vacuumed in the middle of the next."""
    asyncio.run(run_commands(url, "VACUUM (ANALYZE)", "CHECKPOINT"))
