"""What an attempt's answer means, without any I/O."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.settings import RETRY_SCHEDULE
from steward.webhook_delivery.judge import judge
from steward.webhook_delivery.model import AttemptResult, Claim, ClaimedDelivery, ErrorClass, WebhookTarget

NOW = 1_800_000_000_000
WEBHOOK = WebhookTarget(("org_1", "whk_1"), "https://example.com", b"", False)


def delivery(attempts: int = 0, *, is_test: bool = False) -> ClaimedDelivery:
    return ClaimedDelivery(WEBHOOK, "dlv_1", "evt_1", attempts, Claim("prc_1", NOW + 60_000), b"{}", is_test)


def failed(
    code: int | None = 500, retry_after: str | None = None, error: ErrorClass = ErrorClass.STATUS
) -> AttemptResult:
    return AttemptResult(NOW - 10, 10, code, error, retry_after)


def wait_of(attempts: int, result: AttemptResult, jitter: float = 0) -> float:
    outcome = judge(delivery(attempts), result, RETRY_SCHEDULE, now_ms=NOW, jitter=jitter)
    assert outcome.status == "retrying"
    assert outcome.due is not None
    return (outcome.due - NOW) / 1000


def test_a_success_ends_the_delivery_series() -> None:
    outcome = judge(delivery(), AttemptResult(NOW, 5, 204), RETRY_SCHEDULE, now_ms=NOW, jitter=0.5)
    assert (outcome.status, outcome.reason, outcome.due, outcome.finished) == ("succeeded", None, None, NOW)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [
        (0, 5),
        (1, 60),
        (2, 300),
        (3, 1800),
        (4, 7200),
        (5, 18_000),
        (6, 36_000),
        (7, 50_400),
        (8, 72_000),
        (9, 86_400),
    ],
)
def test_the_next_attempt_waits_as_the_schedule_says_and_up_to_a_fifth_longer(
    attempts: int, seconds: int
) -> None:
    assert wait_of(attempts, failed()) == seconds
    assert wait_of(attempts, failed(), jitter=1) == pytest.approx(seconds * 1.2)


def test_after_the_last_attempt_a_delivery_has_failed() -> None:
    outcome = judge(delivery(10), failed(), RETRY_SCHEDULE, now_ms=NOW, jitter=0)
    assert (outcome.status, outcome.reason, outcome.due, outcome.finished) == (
        "failed",
        "exhausted",
        None,
        NOW,
    )


def test_one_more_try_of_an_exhausted_delivery_is_one_more_try() -> None:
    assert judge(delivery(11), failed(), RETRY_SCHEDULE, now_ms=NOW, jitter=0).reason == "exhausted"


@pytest.mark.parametrize("error", [error for error in ErrorClass if error != ErrorClass.STATUS])
def test_every_kind_of_failure_is_tried_again_and_named(error: ErrorClass) -> None:
    outcome = judge(delivery(), failed(None, error=error), RETRY_SCHEDULE, now_ms=NOW, jitter=0)
    assert (outcome.status, outcome.reason) == ("retrying", error)


@pytest.mark.parametrize("code", [301, 302, 307, 308, 400, 401, 403, 404, 429, 500, 503])
def test_answers_other_than_2xx_are_retried(code: int) -> None:
    assert wait_of(0, failed(code)) == 5


@pytest.mark.parametrize("code", [429, 503])
@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("1", 5),  # never earlier than the schedule
        ("86400", 86_400),
        ("86401", 86_400),
        ("9" * 30, 86_400),
        (format_datetime(datetime.fromtimestamp(NOW // 1000 + 90, UTC), usegmt=True), 90),
        (format_datetime(datetime.fromtimestamp(NOW // 1000 - 90, UTC), usegmt=True), 5),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        ("soon", 5),
        ("-5", 5),
        ("1e3", 5),
        ("", 5),
    ],
)
def test_a_receiver_may_ask_for_more_time(code: int, asked: str, seconds: int) -> None:
    assert wait_of(0, failed(code, asked)) == seconds


@pytest.mark.parametrize("code", [500, 404, 302])
def test_other_answers_cannot_be_cached(code: int) -> None:
    assert wait_of(0, failed(code, "3600")) == 5


def test_a_receiver_that_refuses_connections_ends_forwarding() -> None:
    outcome = judge(delivery(), failed(410), RETRY_SCHEDULE, now_ms=NOW, jitter=0)
    assert (outcome.status, outcome.reason, outcome.gone, outcome.finished) == (
        "failed",
        "receiver_gone",
        True,
        NOW,
    )


def test_a_test_event_disables_nothing() -> None:
    outcome = judge(delivery(is_test=True), failed(410), RETRY_SCHEDULE, now_ms=NOW, jitter=0)
    assert (outcome.status, outcome.gone) == ("retrying", False)


@given(
    attempts=st.integers(0, 60),
    code=st.none() | st.integers(100, 599),
    retry_after=st.none() | st.text(max_size=40),
    jitter=st.floats(0, 1),
    schedule=st.lists(st.floats(0, 604_800), min_size=1, max_size=50),
    error=st.none() | st.sampled_from(ErrorClass),
)
def test_every_outcome_is_final_or_has_a_next_attempt(
    attempts, code, retry_after, jitter, schedule, error
) -> None:
    result = AttemptResult(NOW, 1, code, error, retry_after)
    outcome = judge(delivery(attempts), result, schedule, now_ms=NOW, jitter=jitter)
    assert (outcome.due is None) == (outcome.finished is not None)
    assert (outcome.status in {"succeeded", "failed"}) == (outcome.finished is not None)
    assert outcome.succeeded or outcome.reason
    assert outcome.due is None or NOW <= outcome.due <= NOW + 604_800_000 * 1.2 + 1
