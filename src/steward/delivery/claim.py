"""Takes deliveries for this worker: a short transaction, a lease on each, and no more than a webhook's share.

The first statement locks the webhooks, the second counts their leases and takes deliveries. It has to be the second: a
statement sees what was committed before it began, and only behind the lock nobody else gives leases of these webhooks.
"""

from collections.abc import Mapping

import msgspec

from steward.delivery import queries
from steward.delivery.model import LEASE_MS, Delivery, Lane, WebhookKey
from steward.kit.db import Database


class Claimed(msgspec.Struct, frozen=True):
    """What was taken; then the webhooks that may have more, those that have no place free, and those not to be had now."""

    deliveries: list[Delivery]
    more: list[WebhookKey]
    full: list[WebhookKey]
    missed: list[WebhookKey]


async def claim(
    db: Database, wanted: Mapping[WebhookKey, int], lane: Lane, *, now: int, delay: int = 0
) -> Claimed:
    """`wanted` says how many at most for each webhook; `delay` how long after its time a delivery is taken."""
    async with db.transaction() as tx:
        locked = await queries.lock(tx, wanted)
        missed = [key for key in wanted if key not in locked]
        if not locked:
            return Claimed([], [], [], missed)
        taken, places = await queries.claim(
            tx, locked, wanted, lane, before=now - delay, now=now, lease_until=now + LEASE_MS
        )
    counts = dict.fromkeys(locked, 0)
    for delivery in taken:
        counts[delivery.webhook.key] += 1
    full = [key for key, count in places.items() if count <= 0]
    more = [key for key, count in counts.items() if 0 < places[key] <= count]
    return Claimed(taken, more, full, missed)
