"""Whether and when a request is sent again."""

import email.utils
import itertools

import httpx
import pytest

from steward_client._retries import (
    RetryPolicy,
    parse_retry_after,
    repeatable,
    retried_answer,
    retried_fault,
)
from steward_client.errors import refusal

NOW = 1_767_225_600.0


def test_pauses_grow_up_to_a_limit_and_are_spread_from_zero_on() -> None:
    policy = RetryPolicy(first=0.5, longest=8.0)
    assert [policy.backoff(attempt, 1.0) for attempt in range(7)] == [0.5, 1, 2, 4, 8, 8, 8]
    assert policy.backoff(3, 0.0) == 0
    assert policy.backoff(10_000, 0.5) == 4


def test_retry_after_is_waited_for_instead() -> None:
    policy = RetryPolicy(max_retries=2, max_wait=60)
    assert policy.pause(0, waited=0, jitter=0.1, retry_after=7.0) == 7
    assert policy.pause(0, waited=0, jitter=0.1, retry_after=None) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("attempt", "waited", "retry_after"),
    [(2, 0, 1.0), (0, 0, 61.0), (1, 55, 6.0)],
    ids=["often", "long", "sum"],
)
def test_there_is_an_end(attempt: int, waited: float, retry_after: float) -> None:
    policy = RetryPolicy(max_retries=2, max_wait=60)
    assert policy.pause(attempt, waited=waited, jitter=1, retry_after=retry_after) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("12", 12),
        (" 3 ", 3),
        (email.utils.formatdate(NOW + 30, usegmt=True), 30),
        (email.utils.formatdate(NOW - 30, usegmt=True), 0),
        ("soon", None),
        ("-1", None),
    ],
)
def test_retry_after_has_two_forms(header: str | None, seconds: float | None) -> None:
    assert parse_retry_after(header, NOW) == seconds


def test_repeatable_methods() -> None:
    found = {
        (method, bool(key)): repeatable(method, {"Idempotency-Key": key} if key else {})
        for method, key in itertools.product(("GET", "PUT", "DELETE", "POST", "PATCH"), ("k", ""))
    }
    assert [name for name, value in found.items() if not value] == [("POST", False), ("PATCH", False)]


def _refused(status: int, message: str = "No.", *, repeatable: bool = True, attempt: int = 0) -> bool:
    error = refusal(status, {"message": message}, request_id=None, retry_after=None)
    return retried_answer(error, repeatable=repeatable, attempt=attempt)


def test_answers_after_which_it_is_tried_again() -> None:
    statuses = (400, 401, 403, 404, 408, 409, 412, 422, 429, 500, 502, 503, 504)
    assert [status for status in statuses if _refused(status)] == [429, 502, 503, 504]
    assert [status for status in statuses if _refused(status, repeatable=False)] == [429]


def test_an_earlier_attempt_that_is_still_running_is_waited_for() -> None:
    running = "A request with this Idempotency-Key is still running."
    assert _refused(409, running, attempt=1)
    assert not _refused(409, running, attempt=0)
    assert not _refused(409, "The order is completed.", attempt=1)


def test_faults_after_which_it_is_tried_again() -> None:
    never, maybe = httpx.ConnectError("no"), httpx.ReadTimeout("no")
    assert retried_fault(never, repeatable=False)
    assert retried_fault(maybe, repeatable=True)
    assert not retried_fault(maybe, repeatable=False)
    assert not retried_fault(httpx.UnsupportedProtocol("ftp"), repeatable=True)
