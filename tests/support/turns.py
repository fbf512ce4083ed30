"""How often others get the event loop while something long is done on it."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def counting_turns(work: Awaitable[T]) -> tuple[T, int]:
    """What it gives, and how often others had a turn meanwhile."""
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    beside = asyncio.create_task(others())
    try:
        return await work, turns
    finally:
        beside.cancel()
