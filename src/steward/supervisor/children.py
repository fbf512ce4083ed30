"""Keeps child processes running until we are asked to stop, and leaves none behind."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from steward.supervisor.parent_watch import SUPERVISED
from steward.supervisor.restarts import GivingUp, Restarts, describe_ending
from steward.supervisor.signals import StopRequested, StopSignals

GAVE_UP = 1
# The kernel tells us of a child's death at once. Of what isn't our child it tells nothing: for that we look.
_LONGEST_WAIT = 1.0


class ChildSpec(NamedTuple):
    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]


class _Child:
    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.restarts = Restarts(spec.name)
        self.process: subprocess.Popen[bytes] | None = None
        self.start_at = 0.0

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        if self.process is not None:
            self.process.terminate()

    def kill(self) -> None:
        """Together with its process group, so that nothing it started stays behind."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class Supervisor:
    def __init__(
        self,
        specs: Iterable[ChildSpec],
        *,
        log: Callable[[str], None],
        grace_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._children = [_Child(spec) for spec in specs]
        self._log = log
        self._grace_seconds = grace_seconds
        self._now = now

    def run(self, stop: StopSignals, each_turn: Callable[[], None] = lambda: None) -> int:
        """Returns 0 when asked to stop, `GAVE_UP` when something kept dying; by then no child runs."""
        # Only we hold the writing end, so its closing tells every child that we are gone, even by kill -9.
        lifeline, held = os.pipe()
        try:
            while not stop.requests:
                each_turn()
                self._start_due(lifeline)
                stop.wait(self._until_next_start())
                self._note_deaths()
        except StopRequested:
            pass
        except GivingUp as reason:
            self._log(str(reason))
            return GAVE_UP
        finally:
            self._stop_all(stop)
            os.close(lifeline)
            os.close(held)
        return 0

    def _start_due(self, lifeline: int) -> None:
        for child in self._children:
            if child.process is None and child.start_at <= self._now():
                self._start(child, lifeline)

    def _start(self, child: _Child, lifeline: int) -> None:
        try:
            # A process group of its own: Ctrl-C is for us, who then ask the children in order.
            child.process = subprocess.Popen(
                child.spec.argv,
                env={**child.spec.environment, SUPERVISED: str(lifeline)},
                stdin=subprocess.DEVNULL,
                pass_fds=(lifeline,),
                process_group=0,
            )
        except OSError as error:
            self._note_death(child, f"can't be started: {error}")

    def _until_next_start(self) -> float:
        waiting = [child.start_at - self._now() for child in self._children if child.process is None]
        return min([_LONGEST_WAIT, *waiting])

    def _note_deaths(self) -> None:
        for child in self._children:
            if child.process is not None and (returncode := child.process.poll()) is not None:
                child.process = None
                self._note_death(child, describe_ending(returncode))

    def _note_death(self, child: _Child, how: str) -> None:
        delay = child.restarts.after_death(self._now(), how)
        self._log(f"{child.spec.name} died ({how}); starting it again in {delay:g} s")
        child.start_at = self._now() + delay

    def _stop_all(self, stop: StopSignals) -> None:
        for child in self._children:
            child.ask_to_stop()
        deadline = self._now() + self._grace_seconds
        while self._running() and stop.requests < 2 and (remaining := deadline - self._now()) > 0:
            stop.wait(min(_LONGEST_WAIT, remaining))
        reason = "we were asked twice" if stop.requests > 1 else f"not done after {self._grace_seconds:g} s"
        for child in self._running():
            self._log(f"{child.spec.name} is killed: {reason}")
            child.kill()

    def _running(self) -> list[_Child]:
        return [child for child in self._children if child.is_running]
