"""Says what held the event loop for too long: while one thing runs in it, nobody else is answered.

What can be named, a route or a job, is timed step by step, from one `await` that waits to the next; that costs a fraction of a
microsecond and misses nothing. Beside it the loop's own beat tells when it was held by anything else. A thread looks at the beat
and, when that is late, at what the loop's thread is doing; so lines about longer blocks say where in the code.

Only names of routes and jobs and places in the code are logged, no data.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import islice
from time import perf_counter
from traceback import walk_stack
from types import FrameType
from typing import Any, Generic, Literal, TypeVar

from steward.kit.runtime.log import log
from steward.kit.runtime.metrics import LOOP_BLOCKED

MAX_SECONDS = 0.05

_BEAT_SECONDS = 0.05
_SAMPLE_SECONDS = 0.1
_MAX_FRAMES = 8
# On a machine that has no time for us everything is late, all the time; then one line for each in so many seconds has to do.
_STARVED_LOG_SECONDS = 10

T = TypeVar("T")
Kind = Literal["route", "job", "task"]


class _Watch:
    """What is known of the loop of this process."""

    def __init__(self) -> None:
        self.beat = self.reported = self.cpu_at_beat = 0.0
        self._next_lines: dict[str, float] = {}
        self.sampled = 0.0
        self.stack: list[str] = []
        self.task: str | None = None

    def report(self, kind: Kind, name: str, seconds: float) -> None:
        now = perf_counter()
        self.reported = now
        self._log(kind, name, seconds, self.stack if self.sampled > now - seconds else None)

    def report_late(self, seconds: float) -> None:
        """The loop was blocked by something untimed."""
        now = perf_counter()
        seen = self.sampled > now - seconds - _BEAT_SECONDS
        name = (self.task if seen else None) or "other"
        self._log("task", name, seconds, self.stack if seen else None)

    def _log(self, kind: Kind, name: str, seconds: float, stack: list[str] | None) -> None:
        LOOP_BLOCKED.labels(name).observe(seconds)
        now, cpu = perf_counter(), time.thread_time() - self.cpu_at_beat
        if cpu < seconds / 2:
            if now < self._next_lines.get(name, 0.0):
                return
            self._next_lines[name] = now + _STARVED_LOG_SECONDS
        log.warning(
            "event loop blocked",
            **{kind: name},
            ms=round(seconds * 1000, 1),
            cpu_ms=round(cpu * 1000, 1),
            at=stack,
        )


_watch = _Watch()


class _Timed(Generic[T]):
    """Runs an awaitable and looks how long each of its steps takes."""

    __slots__ = ("_kind", "_name", "_next", "_steps")

    def __init__(self, work: Awaitable[T], kind: Kind, name: Callable[[], str]) -> None:
        self._steps: Any = work.__await__()
        self._next = self._steps.__next__
        self._kind: Kind = kind
        self._name = name

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        began = perf_counter()
        try:
            return self._next()
        finally:
            if (seconds := perf_counter() - began) > MAX_SECONDS:
                _watch.report(self._kind, self._name(), seconds)

    def send(self, value: Any) -> Any:
        return self.__next__() if value is None else self._steps.send(value)

    def throw(self, *error: Any) -> Any:
        return self._steps.throw(*error)

    def close(self) -> None:
        self._steps.close()


def timed(work: Awaitable[T], kind: Kind, name: Callable[[], str]) -> Awaitable[T]:
    """The same work; each step that takes too long is logged under its name."""
    return _Timed(work, kind, name)


@contextmanager
def watched_loop() -> Iterator[None]:
    """Watches the running loop for as long as it lasts."""
    loop, stop = asyncio.get_running_loop(), threading.Event()
    _beat(loop, stop, perf_counter())
    sampler = threading.Thread(
        target=_sample, args=(loop, threading.get_ident(), stop), name="loop watch", daemon=True
    )
    sampler.start()
    try:
        yield
    finally:
        stop.set()
        _watch.beat = 0.0


def _beat(loop: asyncio.AbstractEventLoop, stop: threading.Event, due: float) -> None:
    if stop.is_set():
        return
    now = perf_counter()
    if now - due > MAX_SECONDS and _watch.reported < _watch.beat:
        _watch.report_late(now - due)
    _watch.beat, _watch.cpu_at_beat = now, time.thread_time()
    loop.call_later(_BEAT_SECONDS, _beat, loop, stop, now + _BEAT_SECONDS)


def _sample(loop: asyncio.AbstractEventLoop, thread: int, stop: threading.Event) -> None:
    while not stop.wait(_SAMPLE_SECONDS):
        if perf_counter() - _watch.beat < _BEAT_SECONDS + MAX_SECONDS / 2:
            continue
        task = asyncio.current_task(loop)
        frame = sys._current_frames().get(thread)  # noqa: SLF001 (there is no other way to see another thread)
        if task is not None and frame is not None:
            _watch.task = getattr(task.get_coro(), "__qualname__", None)
            _watch.stack = _stack(frame)
            _watch.sampled = perf_counter()


def _stack(frame: FrameType) -> list[str]:
    """Where the code is, innermost first."""
    return [
        f"{each.f_globals.get('__name__')}.{each.f_code.co_qualname}:{line}"
        for each, line in islice(walk_stack(frame), _MAX_FRAMES)
    ]
