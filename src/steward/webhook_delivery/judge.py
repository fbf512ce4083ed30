"""What an attempt's answer means: done, again later, or given up. Pure: time and luck are arguments."""

from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from steward.webhook_delivery.model import AttemptResult, ClaimedDelivery, ErrorClass, Outcome

_GONE = 410
_RETRY_AFTER_STATUSES = (429, 503)
_MAX_RETRY_AFTER_MS = 86_400_000
_MAX_JITTER = 0.2


def is_success(status_code: int | None) -> bool:
    return status_code is not None and 200 <= status_code < 300


def judge(
    delivery: ClaimedDelivery,
    result: AttemptResult,
    retry_schedule: Sequence[float],
    *,
    now_ms: int,
    jitter: float,
) -> Outcome:
    """`retry_schedule` has one wait in seconds per attempt; `jitter`, from 0 to 1, spreads retries that failed together."""
    if result.error is None:
        return Outcome(delivery, result, "succeeded", finished=now_ms)
    if result.status_code == _GONE and not delivery.is_test:
        return Outcome(delivery, result, "failed", "receiver_gone", finished=now_ms, gone=True)
    attempts_made = delivery.attempts + 1
    if attempts_made >= len(retry_schedule):
        return Outcome(delivery, result, "failed", "exhausted", finished=now_ms)
    wait = int(retry_schedule[attempts_made] * 1000 * (1 + _MAX_JITTER * jitter))
    return Outcome(
        delivery, result, "retrying", result.error, due=now_ms + max(wait, _retry_after_ms(result, now_ms))
    )


def event_expired(delivery: ClaimedDelivery, now_ms: int) -> Outcome:
    """The event was kept no longer than its retention; there is nothing left to send."""
    return Outcome(delivery, None, "cancelled", "event_expired", finished=now_ms)


def _retry_after_ms(result: AttemptResult, now_ms: int) -> int:
    """How long the receiver asks us to wait (`Retry-After`): seconds, or a date."""
    if (
        result.status_code not in _RETRY_AFTER_STATUSES
        or result.error != ErrorClass.STATUS
        or not result.retry_after
    ):
        return 0
    text = result.retry_after.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]) * 1000, _MAX_RETRY_AFTER_MS)
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return 0
    return max(0, min(int(moment * 1000) - now_ms, _MAX_RETRY_AFTER_MS))
