"""Work that is done in batches, so that each transaction stays short."""

from collections.abc import Awaitable, Callable
from itertools import count


async def drain(
    take_batch: Callable[[], Awaitable[int]], *, batch_size: int, max_batches: int | None = None
) -> int:
    """Takes batches until one isn't full, or until so many were taken; returns how much it was in all.

    `take_batch` says how much it found, at most `batch_size`.
    """
    total = 0
    for _ in count() if max_batches is None else range(max_batches):
        taken = await take_batch()
        total += taken
        if taken < batch_size:
            break
    return total
