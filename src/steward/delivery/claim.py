"""Takes deliveries for this worker: one short statement, a lease on each, and no more than a webhook's share."""

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
    taken, places = await queries.claim(
        db, wanted, lane, before=now - delay, now=now, lease_until=now + LEASE_MS
    )
    counts = dict.fromkeys(places, 0)
    for delivery in taken:
        counts[delivery.webhook.key] += 1
    return Claimed(
        taken,
        more=[key for key, count in counts.items() if 0 < places[key] <= count],
        full=[key for key, free in places.items() if free <= 0],
        missed=[key for key in wanted if key not in places],
    )
