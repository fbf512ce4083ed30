"""Databases as tests look into them: over connections of their own, beside the service."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from steward.kit.db.pool import Pool
from steward.migrations.migrate import migration_files, statements

T = TypeVar("T")


async def fetch_rows(url: str, statement: str, *args: Any) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetch(statement, *args)
    finally:
        await connection.close()


def fetch(url: str, statement: str, *args: Any) -> list[asyncpg.Record]:
    return asyncio.run(fetch_rows(url, statement, *args))


def with_pool(url: str, work: Callable[[Pool], Awaitable[T]], size: int = 4) -> T:
    """What the worker does, done here and now."""

    async def main() -> T:
        pool = Pool(url, size)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(main())


def database_named(url: str, name: str) -> str:
    """The address of another database of the same server."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


async def run_commands(url: str, *commands: str) -> list[asyncpg.Record]:
    """One after the other; returns the rows of the last."""
    connection = await asyncpg.connect(url)
    try:
        for command in commands[:-1]:
            await connection.execute(command)
        return await connection.fetch(commands[-1])
    finally:
        await connection.close()


async def migrate_until(url: str, number: int) -> None:
    """As a version did whose last file came before this one."""
    connection = await asyncpg.connect(url)
    await connection.execute(
        "CREATE TABLE schema_migrations (number integer PRIMARY KEY, name text NOT NULL)"
    )
    for earlier, (name, text) in migration_files().items():
        if earlier < number:
            for statement in statements(text):
                await connection.execute(statement)
            await connection.execute("INSERT INTO schema_migrations VALUES ($1, $2)", earlier, name)
    await connection.close()
