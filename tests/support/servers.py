"""Databases on whatever server the tests run on: one PostgreSQL, or a Citus cluster whose nodes must all have them.

Which server that is says `STEWARD_TEST_POSTGRES_URL`; without it, an embedded one. All databases of the tests are made here.
"""

import asyncio
import os
from collections.abc import Iterable

import asyncpg
from tests.support.databases import database_named, fetch_rows

from steward.wiring.schema import migrate

SERVER_VARIABLE = "STEWARD_TEST_POSTGRES_URL"

# So that several test processes share a server: each has databases of its own.
_SUFFIX = f"_{os.getpid()}"


# The name of the migrated template, by server.
_templates: dict[str, str] = {}


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
    if migrated:
        return await copy_database(url, await _template(url), name)
    await drop_database(url, name)
    for node in await nodes(url) or [url]:
        await _run(node, f"CREATE DATABASE {name}")
    return database_named(url, name)


async def _template(url: str) -> str:
    """A database with our schema and no rows, migrated once per server: all others are copies of it."""
    server = database_named(url, "")
    if server not in _templates:
        name = _templates[server] = own_name("template")
        made, everywhere = await make_database(url, name), await nodes(url)
        if everywhere:
            await form_cluster(everywhere, name)
        await migrate(made, distribute=bool(everywhere))
        await seal(url, name)
    return _templates[server]


async def seal(url: str, name: str) -> None:
    """Refuses connections from now on, so that copies can be made."""
    for node in await nodes(url) or [url]:
        await _run(
            node,
            f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )


async def copy_database(url: str, source: str, name: str) -> str:
    await drop_database(url, name)
    for node in await nodes(url) or [url]:
        # Files are copied faster than pages are logged, unless the server has to wait for its disk.
        (fsync,) = (await fetch_rows(node, "SHOW fsync"))[0]
        strategy = "file_copy" if fsync == "off" else "wal_log"
        await _run(node, f"CREATE DATABASE {name} TEMPLATE {source} STRATEGY {strategy}")
    return database_named(url, name)


async def drop_database(url: str, name: str) -> None:
    for node in await nodes(url) or [url]:
        await _run(node, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def drop_databases(url: str, names: Iterable[str]) -> None:
    async def drop() -> None:
        for name in names:
            await drop_database(url, name)

    asyncio.run(drop())


async def set_durable(url: str, *, durable: bool) -> None:
    """Whether the server waits for its disk."""
    await _run(url, f"ALTER SYSTEM SET fsync = {'on' if durable else 'off'}", "SELECT pg_reload_conf()")


async def form_cluster(everywhere: list[str], name: str) -> None:
    """Each database of a cluster needs a list of its workers."""
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
