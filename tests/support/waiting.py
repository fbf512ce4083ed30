"""One way to wait, for all suites: look, pause a little longer each time, and fail with what was seen last.

`STEWARD_TEST_SLOWNESS` (1) stretches every time limit of the tests, for a machine that is slow or busy.
`STEWARD_TEST_PAUSES` (1) stretches the pauses between two looks; `make test-hunt` sets it to find tests that depend on them.
"""

import asyncio
import inspect
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, overload

import httpx

T = TypeVar("T")

_SLOWNESS = float(os.environ.get("STEWARD_TEST_SLOWNESS", "1"))
_PAUSES = float(os.environ.get("STEWARD_TEST_PAUSES", "1"))
# A limit costs nothing while tests pass, so it can be long.
_SECONDS = 60
_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 0.01, 0.5, 1.5


class NotReadyError(AssertionError):
    """Something did not happen in time, or never will."""


def limit(seconds: float) -> float:
    """A time limit that holds on this machine; for `timeout=`, `asyncio.timeout()` and the like."""
    return seconds * _SLOWNESS


def wait_for(what: str, look: Callable[[], T | None], seconds: float = _SECONDS) -> T:
    """The first true value that `look` returns."""
    wait = _Wait(what, seconds)
    while not (value := look()):
        time.sleep(wait.next_pause(value))
    return value


@overload
async def wait_for_async(what: str, look: Callable[[], Awaitable[T]], seconds: float = ...) -> T: ...
@overload
async def wait_for_async(what: str, look: Callable[[], T | None], seconds: float = ...) -> T: ...
async def wait_for_async(what: str, look: Callable[[], Any], seconds: float = _SECONDS) -> Any:
    """The same beside other tasks; `look` may be a coroutine function."""
    wait = _Wait(what, seconds)
    while not (value := await _result(look)):  # noqa: ASYNC110 (what is waited for sets no event)
        await asyncio.sleep(wait.next_pause(value))
    return value


def remember(answer: httpx.Response) -> None:
    """The clients of the tests keep their last answer here: a wait that fails shows it."""
    _Wait.last_answer = (time.monotonic(), answer)


async def _result(look: Callable[[], Any]) -> Any:
    value = look()
    return await value if inspect.isawaitable(value) else value


class _Wait:
    last_answer: tuple[float, httpx.Response] | None = None

    def __init__(self, what: str, seconds: float) -> None:
        self._what = what
        self._seconds = limit(seconds)
        self._began = time.monotonic()
        self._pause = _FIRST_PAUSE

    def next_pause(self, seen: object) -> float:
        if time.monotonic() - self._began > self._seconds:
            raise NotReadyError(
                f"{self._what} did not happen within {self._seconds:g} s; seen last: {seen!r}{self._answer()}"
            )
        pause, self._pause = self._pause, min(self._pause * _GROWTH, _LONGEST_PAUSE)
        return pause * _PAUSES

    def _answer(self) -> str:
        if self.last_answer is None or self.last_answer[0] < self._began:
            return ""
        answer = self.last_answer[1]
        text = answer.text if answer.is_closed else "(a stream)"
        return f"\nlast answer: {answer.request.method} {answer.request.url} -> {answer.status_code}\n{text[:2000]}"
