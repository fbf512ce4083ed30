"""Runs replays of webhooks in bounded batches, in turn: so they survive a restart and block nothing else."""

from steward.kit.db.partitions import DAY_SECONDS
from steward.kit.db.pool import Database
from steward.kit.security.caller import TenantId
from steward.webhooks.replays import queries as replay_queries
from steward.webhooks.replays.model import KEPT_DAYS, ReplayStatus

# Replayed deliveries share the queue with new ones. A replay queues only so many ahead, so that new events
# never wait behind a long past. Late retries don't count.
MAX_AHEAD = 1000
_SOON_MS = 60_000


async def run_replays(db: Database, now: int, *, batch_size: int = 500) -> int:
    """One batch of every running replay; returns how many deliveries were queued. Safe with several workers."""
    queued = 0
    for tenant, webhook_id, replay_id in await replay_queries.running(db):
        queued += await _advance(db, tenant, webhook_id, replay_id, now=now, batch_size=batch_size)
    return queued


async def _advance(
    db: Database, tenant: TenantId, webhook_id: str, replay_id: str, *, now: int, batch_size: int
) -> int:
    now_ms = now * 1000
    async with db.transaction() as tx:
        held = await replay_queries.take(tx, tenant, webhook_id, replay_id)
        if held is None:
            return 0
        ahead = await replay_queries.count_waiting(tx, tenant, webhook_id, now_ms + _SOON_MS, MAX_AHEAD)
        most = min(batch_size, MAX_AHEAD - ahead)
        if most == 0:
            return 0
        step = await replay_queries.queue_some(tx, tenant, held, most, now_ms)
        status = ReplayStatus.COMPLETED if step.looked < most else ReplayStatus.RUNNING
        await replay_queries.advance(tx, tenant, replay_id, step, status, now)
        tx.notify(tenant)
        return step.queued


async def delete_old_replays(db: Database, now: int) -> None:
    await replay_queries.delete_old(db, now - KEPT_DAYS * DAY_SECONDS)
