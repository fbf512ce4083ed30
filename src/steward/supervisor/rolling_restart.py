"""Replaces running processes by new ones, one after the other, without downtime."""

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from steward.supervisor.child_process import Child, ChildProcess, ChildSpec
from steward.supervisor.restarts import describe_exit

# A start takes seconds; over a database that doesn't answer it may never be done.
_READY_TIMEOUT = 60.0


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
        self._waiting: deque[Child] = deque()
        self._steps = self._replace_waiting()
        # It isn't, or is no longer, its child's own: the new process while it starts, the old one while it drains.
        self.spare: ChildProcess | None = None

    @property
    def is_under_way(self) -> bool:
        return self.spare is not None or bool(self._waiting)

    def begin(self, children: Sequence[Child]) -> None:
        """Asked again in the middle of it, it begins anew after the replacement that is under way."""
        self._log("restarting the processes one by one")
        self._waiting = deque(children)

    def step(self) -> None:
        """As far as it comes without waiting."""
        next(self._steps)

    def _replace_waiting(self) -> Iterator[None]:
        while True:
            while self._waiting:
                yield from self._replace(self._waiting.popleft())
            yield

    def _replace(self, child: Child) -> Iterator[None]:
        if child.process is None:
            return  # it has died, and is started anew in any case
        try:
            new = self.spare = self._start(child.spec)
        except OSError as error:
            self._abandon(child, f"can't be started: {error}")
            return
        deadline = time.monotonic() + _READY_TIMEOUT
        while not new.is_ready:
            if (code := new.returncode) is not None:
                self._abandon(child, f"died before it was ready ({describe_exit(code)})")
                return
            if time.monotonic() >= deadline:
                self._abandon(child, f"isn't ready after {_READY_TIMEOUT:g} s")
                return
            yield
        old, child.process = child.process, new
        self.spare = old
        if old is not None:
            old.ask_to_stop(signal.SIGHUP)
            yield from self._await_end(child, old)
        self._discard_spare()
        if not self._waiting:
            self._log("all processes are new ones")

    def _await_end(self, child: Child, old: ChildProcess) -> Iterator[None]:
        """The new one does its work, the old one finishes what it has begun."""
        deadline = time.monotonic() + self._drain_seconds
        while old.returncode is None and time.monotonic() < deadline:
            yield
        if old.returncode is None:
            self._log(f"the old {child.spec.name} is killed: not done after {self._drain_seconds:g} s")

    def _abandon(self, child: Child, why: str) -> None:
        """What runs is better than what doesn't start."""
        self._log(f"the new {child.spec.name} {why}; the old processes go on")
        self._waiting.clear()
        self._discard_spare()

    def _discard_spare(self) -> None:
        if self.spare is not None:
            self.spare.kill()
            self._on_exit(self.spare)
            self.spare = None
