"""Databases as tests look into them: over connections of their own, beside the service."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg

from steward.kit.db.pool import Pool

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
    return url.replace("/steward?", f"/{name}?")
