"""Replaces running processes by new ones, one after the other, so that somebody answers all the while."""

import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from typing import Protocol

from steward.supervisor.process import ChildSpec, Process
from steward.supervisor.restarts import describe_ending

# A start takes seconds; over a database that doesn't answer it may never be done.
_READY_SECONDS = 60.0


class Replaceable(Protocol):
    spec: ChildSpec
    process: Process | None


class _Step(Enum):
    IDLE = auto()
    STARTING = auto()  # the new process isn't ready, the old one does its work
    DRAINING = auto()  # the new one does it, the old one finishes what it has begun


class RollingRestart:
    def __init__(
        self,
        *,
        start: Callable[[ChildSpec], Process],
        ended: Callable[[Process], None],
        log: Callable[[str], None],
        drain_seconds: float,
    ) -> None:
        self._start = start
        self._ended = ended
        self._log = log
        self._drain_seconds = drain_seconds
        self._waiting: deque[Replaceable] = deque()
        self._step = _Step.IDLE
        self._child: Replaceable | None = None
        self._beside: Process | None = None  # the new one while it starts, the old one while it drains
        self._deadline = 0.0

    @property
    def is_under_way(self) -> bool:
        return self._step is not _Step.IDLE or bool(self._waiting)

    def processes(self) -> Iterator[Process]:
        """Those that aren't, or are no longer, their child's own."""
        if self._beside is not None:
            yield self._beside

    def begin(self, children: Sequence[Replaceable]) -> None:
        """Asked again in the middle of it, it begins anew after the step that is under way."""
        self._log("restarting the processes one by one")
        self._waiting = deque(children)

    def turn(self, now: float) -> None:
        if self._step is _Step.STARTING:
            self._await_ready(now)
        if self._step is _Step.DRAINING:
            self._await_end(now)
        if self._step is _Step.IDLE and self._waiting:
            self._begin_next(self._waiting.popleft(), now)

    def _begin_next(self, child: Replaceable, now: float) -> None:
        if child.process is None:
            return  # it has died, and is started anew in any case
        try:
            self._beside = self._start(child.spec)
        except OSError as error:
            self._abandon(child, f"can't be started: {error}")
            return
        self._child, self._step, self._deadline = child, _Step.STARTING, now + _READY_SECONDS

    def _await_ready(self, now: float) -> None:
        child, new = self._child, self._beside
        if child is None or new is None:
            raise AssertionError("a step without its processes")
        if new.is_ready:
            self._beside, child.process = child.process, new
            self._step, self._deadline = _Step.DRAINING, now + self._drain_seconds
            if self._beside is not None:
                self._beside.ask_to_stop(signal.SIGHUP)
        elif (code := new.returncode) is not None:
            self._abandon(child, f"died before it was ready ({describe_ending(code)})")
        elif now >= self._deadline:
            self._abandon(child, f"isn't ready after {_READY_SECONDS:g} s")

    def _await_end(self, now: float) -> None:
        old = self._beside
        if old is not None and old.returncode is None:
            if now < self._deadline:
                return
            if self._child is not None:
                self._log(
                    f"the old {self._child.spec.name} is killed: not done after {self._drain_seconds:g} s"
                )
        self._forget_beside()
        if not self._waiting:
            self._log("all processes are new ones")

    def _abandon(self, child: Replaceable, why: str) -> None:
        """What runs is better than what doesn't start."""
        self._log(f"the new {child.spec.name} {why}; the old processes go on")
        self._waiting.clear()
        self._forget_beside()

    def _forget_beside(self) -> None:
        if self._beside is not None:
            self._beside.kill()
            self._ended(self._beside)
        self._child = self._beside = None
        self._step = _Step.IDLE
