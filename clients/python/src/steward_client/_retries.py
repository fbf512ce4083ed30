"""Whether a request is sent again, and when: pure rules. The client does the waiting."""

import email.utils
import random
from collections.abc import Mapping

import httpx
import msgspec

from .errors import StewardError

# What may be repeated without thinking: it has the same effect twice as once.
IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
PASSING = frozenset({429, 502, 503, 504})
# The request can't have reached the service.
NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_BROKEN = (httpx.TimeoutException, httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)


class RetryPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Exponential backoff with full jitter. `max_wait` is how many seconds one call spends on waiting, all in all."""

    max_retries: int = 4
    first: float = 0.5
    longest: float = 8.0
    max_wait: float = 120.0

    def backoff(self, attempt: int, jitter: float) -> float:
        """After this many attempts before; `jitter` is from 0 to 1."""
        return jitter * min(self.longest, self.first * 2.0 ** min(attempt, 30))

    def pause(self, attempt: int, *, waited: float, jitter: float, retry_after: float | None) -> float | None:
        """How long to wait before the next attempt; None when there is to be none."""
        if attempt >= self.max_retries:
            return None
        pause = self.backoff(attempt, jitter) if retry_after is None else retry_after
        return pause if waited + pause <= self.max_wait else None


def jitter() -> float:
    return random.random()  # noqa: S311  no secret, only spread


def parse_retry_after(value: str | None, now: float) -> float | None:
    """Seconds from now, of a header with seconds or with a date; None where there is none that can be read."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None


def repeatable(method: str, headers: Mapping[str, str]) -> bool:
    return method in IDEMPOTENT or "Idempotency-Key" in headers


def retried_answer(error: StewardError, *, repeatable: bool, attempt: int) -> bool:
    """429 did nothing, so that anything may follow it."""
    if error.status == 429:
        return True
    if error.status == 409 and attempt > 0:
        # The answer to an earlier attempt got lost, and that attempt is still at work.
        return repeatable and "Idempotency-Key" in error.message
    return repeatable and error.status in PASSING


def retried_fault(fault: httpx.RequestError, *, repeatable: bool) -> bool:
    return isinstance(fault, NEVER_SENT) or (repeatable and isinstance(fault, _BROKEN))
