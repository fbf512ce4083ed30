"""What an attempt's answer means: done, again later, or given up. Pure: time and luck are arguments."""

from collections.abc import Sequence
from email.utils import parsedate_to_datetime

from steward.webhook_delivery.model import AttemptResult, ClaimedDelivery, ErrorClass, Outcome

_GONE = 410
_RETRY_AFTER = (429, 503)
_MAX_WAIT_MS = 86_400_000
_JITTER = 0.2


def is_success(status_code: int | None) -> bool:
    return status_code is not None and 200 <= status_code < 300


def judge(
    delivery: ClaimedDelivery, answer: AttemptResult, schedule: Sequence[float], *, now_ms: int, luck: float
) -> Outcome:
    """`schedule` has one wait in seconds per attempt; `luck`, from 0 to 1, spreads retries that failed together."""
    if answer.error is None:
        return Outcome(delivery, answer, "succeeded", finished=now_ms)
    if answer.status_code == _GONE and not delivery.is_test:
        return Outcome(delivery, answer, "failed", "receiver_gone", finished=now_ms, gone=True)
    made = delivery.attempts + 1
    if made >= len(schedule):
        return Outcome(delivery, answer, "failed", "exhausted", finished=now_ms)
    wait = int(schedule[made] * 1000 * (1 + _JITTER * luck))
    return Outcome(
        delivery, answer, "retrying", answer.error, due=now_ms + max(wait, _asked_for(answer, now_ms))
    )


def without_event(delivery: ClaimedDelivery, now_ms: int) -> Outcome:
    """The event was kept no longer than its retention; there is nothing left to send."""
    return Outcome(delivery, None, "cancelled", "event_expired", finished=now_ms)


def _asked_for(answer: AttemptResult, now_ms: int) -> int:
    """How long the receiver asks us to stay away: seconds, or a date."""
    if answer.status_code not in _RETRY_AFTER or answer.error != ErrorClass.STATUS or not answer.retry_after:
        return 0
    text = answer.retry_after.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]) * 1000, _MAX_WAIT_MS)
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, OverflowError):
        return 0
    return max(0, min(int(moment * 1000) - now_ms, _MAX_WAIT_MS))
