"""Work that is done in batches, so that each transaction stays short."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import count, groupby
from operator import itemgetter
from typing import NamedTuple

from steward.kit.db.pool import Database, Transaction
from steward.kit.security.caller import TenantId

_EVER = 0


class DueRecord(NamedTuple):
    """Something that is to be looked at, and since when."""

    since: int
    tenant: TenantId
    id: str

    @property
    def key(self) -> tuple[str, str]:
        return self.tenant, self.id


# Finds what is due from a moment on, the longest due first, but not what is named; and at most a batch of it.
FindDue = Callable[[int, Collection[DueRecord]], Awaitable[list[DueRecord]]]


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


async def drain_by_tenant(
    db: Database,
    find: Callable[[], Awaitable[list[tuple[TenantId, str]]]],
    handle: Callable[[Transaction, TenantId, list[str]], Awaitable[object]],
    *,
    batch_size: int,
) -> None:
    """The same for what is found among all tenants and handled in a transaction for each of them."""

    async def take_batch() -> int:
        found = await find()
        for tenant, its in groupby(sorted(found), key=itemgetter(0)):
            async with db.transaction() as tx:
                await handle(tx, tenant, [id for _, id in its])
        return len(found)

    await drain(take_batch, batch_size=batch_size)


async def drain_due(
    find: FindDue,
    handle: Callable[[Sequence[DueRecord]], Awaitable[Collection[tuple[str, str]]]],
    *,
    batch_size: int,
    max_batches: int | None = None,
) -> int:
    """The same for what is due, of all tenants together; returns how much was found.

    `handle` says what is due no longer. The rest is in somebody else's hands and is left to them: it stands in the way of
    nothing that comes after.
    """
    since = _EVER
    left: list[DueRecord] = []

    async def take_batch() -> int:
        nonlocal since, left
        due = await find(since, left)
        if due:
            done = set(await handle(due))
            since = due[-1].since
            left = [record for record in (*left, *due) if record.since == since and record.key not in done]
        return len(due)

    return await drain(take_batch, batch_size=batch_size, max_batches=max_batches)
