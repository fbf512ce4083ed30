"""Takes deliveries for this worker: one short statement, a claim on each, and no more than a webhook's share."""

from collections.abc import Mapping

import msgspec

from steward.kit.db.pool import Database
from steward.webhook_delivery.claims import queries as claim_queries
from steward.webhook_delivery.model import Claim, ClaimedDelivery, Lane, WebhookKey


class Claimed(msgspec.Struct, frozen=True):
    """What was taken; then the webhooks that may have more, those that have no place free, and those not to be had now."""

    deliveries: list[ClaimedDelivery]
    more: list[WebhookKey]
    full: list[WebhookKey]
    missed: list[WebhookKey]


class ClaimRequest(msgspec.Struct, frozen=True):
    """How many of a webhook to take at most, and how many of it this worker holds."""

    most: int
    held: int = 0


async def claim(
    db: Database,
    wanted: Mapping[WebhookKey, ClaimRequest],
    lane: Lane,
    own: Claim,
    *,
    now: int,
    delay: int = 0,
) -> Claimed:
    """What is taken is taken by the claim `own`; `delay` is how long after its time a delivery is taken."""
    columns = [(wish.most, wish.held) for wish in wanted.values()]
    taken, places = await claim_queries.claim(
        db, list(wanted), columns, lane, own, before=now - delay, now=now
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
