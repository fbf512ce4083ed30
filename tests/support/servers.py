"""Databases on whatever server the tests run on: one PostgreSQL, or a Citus cluster whose nodes must all have them.

Which server that is says `STEWARD_TEST_POSTGRES_URL`; without it, an embedded one. All databases of the tests are made here.
"""

import asyncio
import os
from collections.abc import Iterable

import asyncpg
from tests.support.databases import database_named

from steward.wiring.schema import migrate

SERVER_VARIABLE = "STEWARD_TEST_POSTGRES_URL"

# So that several test processes share a server: each has databases of its own.
_SUFFIX = f"_{os.getpid()}"


def own_name(name: str) -> str:
    return f"{name}{_SUFFIX}"


async def nodes(url: str) -> list[str]:
    """The addresses of this database on all nodes of a Citus cluster, the coordinator first; of a plain server, none."""
    connection = await asyncpg.connect(url)
    try:
        if not await connection.fetchval("SELECT to_regclass('pg_dist_node') IS NOT NULL"):
            return []
        found = await connection.fetch("SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid")
    finally:
        await connection.close()
    user = url.partition("://")[2].partition("@")[0]
    path = url.rpartition("/")[2]
    return [f"postgresql://{user}@{host}:{port}/{path}" for host, port in found]


async def make_database(url: str, name: str, *, migrated: bool = False) -> str:
    """An empty one on the server of `url`, or one with our schema, distributed where that is a cluster; returns its address."""
    await drop_database(url, name)
    everywhere = await nodes(url)
    for node in everywhere or [url]:
        await _run(node, f"CREATE DATABASE {name}")
    made = database_named(url, name)
    if migrated and everywhere:
        await _form_cluster(everywhere, name)
    if migrated:
        await migrate(made, distribute=bool(everywhere))
    return made


async def seal(url: str, name: str) -> None:
    """Nobody gets into it any more, so that copies can be made of it."""
    for node in await nodes(url) or [url]:
        await _run(
            node,
            f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )


async def copy_database(url: str, source: str, name: str) -> str:
    await drop_database(url, name)
    for node in await nodes(url) or [url]:
        await _run(node, f"CREATE DATABASE {name} TEMPLATE {source}")
    return database_named(url, name)


async def drop_database(url: str, name: str) -> None:
    for node in await nodes(url) or [url]:
        await _run(node, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def drop_databases(url: str, names: Iterable[str]) -> None:
    async def drop() -> None:
        for name in names:
            await drop_database(url, name)

    asyncio.run(drop())


async def _form_cluster(everywhere: list[str], name: str) -> None:
    """A database of a cluster has to be told of its workers, each by itself."""
    for node in everywhere:
        await _run(database_named(node, name), "CREATE EXTENSION citus")
    coordinator, *workers = (node.rpartition("@")[2].partition("/")[0].split(":") for node in everywhere)
    await _run(
        database_named(everywhere[0], name),
        f"SELECT citus_set_coordinator_host('{coordinator[0]}', {coordinator[1]})",
        *(f"SELECT citus_add_node('{host}', {port})" for host, port in workers),
    )


async def _run(url: str, *commands: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        for command in commands:
            await connection.execute(command)
    finally:
        await connection.close()
