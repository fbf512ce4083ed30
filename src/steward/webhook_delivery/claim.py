"""Takes deliveries for this worker: one short statement, a claim on each, and no more than a webhook's share."""

from collections.abc import Mapping

import msgspec

from steward.kit.db.pool import Database
from steward.webhook_delivery.claims import queries as claim_queries
from steward.webhook_delivery.model import Claim, ClaimedDelivery, Lane, WebhookKey


class ClaimResult(msgspec.Struct, frozen=True):
    """What was taken; then the webhooks that may have more, those that have no place free, and those not to be had now."""

    deliveries: list[ClaimedDelivery]
    have_more: list[WebhookKey]
    full: list[WebhookKey]
    unavailable: list[WebhookKey]


class ClaimRequest(msgspec.Struct, frozen=True):
    """How many of a webhook to take at most, and how many of it this worker holds."""

    max_count: int
    held: int = 0


async def claim(
    db: Database,
    requests: Mapping[WebhookKey, ClaimRequest],
    lane: Lane,
    own_claim: Claim,
    *,
    now: int,
    delay: int = 0,
) -> ClaimResult:
    """What is taken is taken by the claim `own_claim`; `delay` is how long after its time a delivery is taken."""
    columns = [(request.max_count, request.held) for request in requests.values()]
    deliveries, slots = await claim_queries.claim(
        db, list(requests), columns, lane, own_claim, before=now - delay, now=now
    )
    counts = dict.fromkeys(slots, 0)
    for delivery in deliveries:
        counts[delivery.webhook.key] += 1
    return ClaimResult(
        deliveries,
        have_more=[key for key, count in counts.items() if 0 < slots[key] <= count],
        full=[key for key, slot_count in slots.items() if slot_count <= 0],
        unavailable=[key for key in requests if key not in slots],
    )
