"""Metrics of the pools."""

from collections import Counter
from collections.abc import Sequence

from steward.kit.db.pool import Pool
from steward.kit.runtime.metrics import POOL_IN_USE, POOL_OPEN, POOL_SIZE, POOL_WAITING

LOOK_SECONDS = 5
_FIGURES = (POOL_SIZE, POOL_OPEN, POOL_IN_USE, POOL_WAITING)


async def show_pools(pools: Sequence[Pool]) -> None:
    """Pools of the same name in one process are added up."""
    totals: Counter[tuple[int, str]] = Counter()
    for pool in pools:
        for place, value in enumerate(pool.usage()):
            totals[place, pool.name] += value
    for (place, name), value in totals.items():
        _FIGURES[place].labels(name).set(value)
