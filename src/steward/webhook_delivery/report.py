"""One wide line and a few figures per attempt."""

from functools import cache
from typing import Any

from steward.kit.runtime.log import REQUEST_LINES
from steward.webhook_delivery.metrics import DELIVERIES, DELIVERY_ATTEMPTS, DELIVERY_SECONDS
from steward.webhook_delivery.model import Outcome

_count_outcome = cache(DELIVERIES.labels)
_count_attempt = cache(DELIVERY_ATTEMPTS.labels)


def created_at_ms(event_id: str) -> int:
    """Identifiers begin with the microsecond of their making."""
    return int(event_id[4:18], 16) // 1000


def report(outcome: Outcome, now_ms: int) -> None:
    _count_outcome(outcome.status).inc()
    delivery, result = outcome.delivery, outcome.result
    line: dict[str, Any] = {
        "event": "delivery",
        "organization": delivery.webhook.key[0],
        "webhook": delivery.webhook.key[1],
        "delivery": delivery.id,
        "eventId": delivery.event_id,
        "outcome": outcome.status,
    }
    if outcome.reason is not None:
        line["reason"] = outcome.reason
    if result is not None:
        _count_attempt(result.error or "success").inc()
        line |= {
            "attempt": delivery.attempts + 1,
            "status": result.status_code,
            "error": result.error,
            "ms": result.duration,
        }
    if outcome.succeeded:
        age = max(0, now_ms - created_at_ms(delivery.event_id))
        DELIVERY_SECONDS.observe(age / 1000)
        line["ageMs"] = age
    if outcome.due is not None:
        line["nextInMs"] = outcome.due - now_ms
    REQUEST_LINES.write(line)
