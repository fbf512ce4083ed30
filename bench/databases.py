"""Databases beside the first one of a server."""

import asyncpg

from steward.wiring.schema import migrate


async def make_database(server_url: str, name: str) -> str:
    """Another one on the same server, with the tables of the service; its URL."""
    admin = await asyncpg.connect(server_url)
    await admin.execute(f"CREATE DATABASE {name}")
    await admin.close()
    url = server_url.replace("/steward?", f"/{name}?")
    await migrate(url)
    return url
