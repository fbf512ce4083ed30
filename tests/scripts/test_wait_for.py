"""The one way to wait: it returns what came, and fails with what was seen last."""

import asyncio
import itertools

import httpx
import pytest
from tests.support import waiting
from tests.support.answers import data_of


def test_the_first_true_value_is_returned() -> None:
    looks = iter([None, "", "there"])
    assert waiting.wait_for("something", lambda: next(looks)) == "there"


async def test_a_coroutine_function_may_look() -> None:
    numbers = itertools.count()

    async def look() -> int:
        await asyncio.sleep(0)
        return next(numbers)

    assert await waiting.wait_for_async("a number", look) == 1


def test_a_failure_shows_what_was_seen_last_and_the_last_answer() -> None:
    def look() -> list[str]:
        request = httpx.Request("GET", "http://127.0.0.1/work-orders")
        waiting.remember(httpx.Response(429, text="Too many requests", request=request))
        return []

    with pytest.raises(AssertionError, match="an order did not happen within") as failed:
        waiting.wait_for("an order", look, seconds=0.01)
    assert "seen last: []" in str(failed.value)
    assert "GET http://127.0.0.1/work-orders -> 429\nToo many requests" in str(failed.value)


def test_pauses_grow_up_to_a_bound() -> None:
    wait = waiting._Wait("something", 3600)
    pauses = [wait.next_pause(None) for _ in range(20)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == pauses[-2] <= 50 * pauses[0]


def test_the_data_of_a_refusal_is_not_read() -> None:
    request = httpx.Request("GET", "http://127.0.0.1/work-orders")
    with pytest.raises(AssertionError, match="429\nslow down"):
        data_of(httpx.Response(429, text="slow down", request=request))
    assert data_of(httpx.Response(200, json={"data": [1]}, request=request)) == [1]
