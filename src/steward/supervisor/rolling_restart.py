"""Replaces running processes by new ones, one after the other, without downtime."""

import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from typing import Protocol

from steward.supervisor.child_process import ChildProcess, ChildSpec
from steward.supervisor.restarts import describe_exit

# A start takes seconds; over a database that doesn't answer it may never be done.
_READY_TIMEOUT = 60.0


class Replaceable(Protocol):
    spec: ChildSpec
    process: ChildProcess | None


class _Step(Enum):
    IDLE = auto()
    STARTING = auto()  # the new process isn't ready, the old one does its work
    DRAINING = auto()  # the new one does it, the old one finishes what it has begun


class RollingRestart:
    def __init__(
        self,
        *,
        start: Callable[[ChildSpec], ChildProcess],
        on_exit: Callable[[ChildProcess], None],
        log: Callable[[str], None],
        drain_seconds: float,
    ) -> None:
        self._start = start
        self._on_exit = on_exit
        self._log = log
        self._drain_seconds = drain_seconds
        self._waiting: deque[Replaceable] = deque()
        self._step = _Step.IDLE
        self._child: Replaceable | None = None
        self._spare: ChildProcess | None = None  # the new one while it starts, the old one while it drains
        self._deadline = 0.0

    @property
    def is_under_way(self) -> bool:
        return self._step is not _Step.IDLE or bool(self._waiting)

    def processes(self) -> Iterator[ChildProcess]:
        """Those that aren't, or are no longer, their child's own."""
        if self._spare is not None:
            yield self._spare

    def begin(self, children: Sequence[Replaceable]) -> None:
        """Asked again in the middle of it, it begins anew after the step that is under way."""
        self._log("restarting the processes one by one")
        self._waiting = deque(children)

    def step(self, now: float) -> None:
        if self._step is _Step.STARTING:
            self._await_ready(now)
        if self._step is _Step.DRAINING:
            self._await_end(now)
        if self._step is _Step.IDLE and self._waiting:
            self._start_replacement(self._waiting.popleft(), now)

    def _start_replacement(self, child: Replaceable, now: float) -> None:
        if child.process is None:
            return  # it has died, and is started anew in any case
        try:
            self._spare = self._start(child.spec)
        except OSError as error:
            self._abandon(child, f"can't be started: {error}")
            return
        self._child, self._step, self._deadline = child, _Step.STARTING, now + _READY_TIMEOUT

    def _await_ready(self, now: float) -> None:
        child, new = self._child, self._spare
        if child is None or new is None:
            raise AssertionError("a step without its processes")
        if new.is_ready:
            self._spare, child.process = child.process, new
            self._step, self._deadline = _Step.DRAINING, now + self._drain_seconds
            if self._spare is not None:
                self._spare.ask_to_stop(signal.SIGHUP)
        elif (code := new.returncode) is not None:
            self._abandon(child, f"died before it was ready ({describe_exit(code)})")
        elif now >= self._deadline:
            self._abandon(child, f"isn't ready after {_READY_TIMEOUT:g} s")

    def _await_end(self, now: float) -> None:
        old = self._spare
        if old is not None and old.returncode is None:
            if now < self._deadline:
                return
            if self._child is not None:
                self._log(
                    f"the old {self._child.spec.name} is killed: not done after {self._drain_seconds:g} s"
                )
        self._discard_spare()
        if not self._waiting:
            self._log("all processes are new ones")

    def _abandon(self, child: Replaceable, why: str) -> None:
        """What runs is better than what doesn't start."""
        self._log(f"the new {child.spec.name} {why}; the old processes go on")
        self._waiting.clear()
        self._discard_spare()

    def _discard_spare(self) -> None:
        if self._spare is not None:
            self._spare.kill()
            self._on_exit(self._spare)
        self._child = self._spare = None
        self._step = _Step.IDLE
