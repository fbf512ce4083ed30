"""Keeps child processes running until we are asked to stop, and leaves none behind."""

import os
import time
from collections.abc import Callable, Iterable

from steward.supervisor.child_process import Child, ChildProcess
from steward.supervisor.child_process import ChildSpec as ChildSpec
from steward.supervisor.restarts import RestartLimitReached, describe_exit
from steward.supervisor.rolling_restart import RollingRestart
from steward.supervisor.signals import StopRequested, StopSignals

GAVE_UP = 1
# The exit code of a child that could not start because an external service, such as the operator's database, is unreachable.
AWAY = os.EX_TEMPFAIL
_RETRY_SECONDS = 1.0
# The kernel tells us of a child's death at once. Of what isn't our child it tells nothing: for that we look.
_MAX_WAIT_SECONDS = 1.0
_ROLLING_WAIT_SECONDS = 0.05


class Supervisor:
    """`on_exit` gets the PID of every process that died or was replaced."""

    def __init__(
        self,
        specs: Iterable[ChildSpec],
        *,
        log: Callable[[str], None],
        grace_seconds: float,
        on_exit: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._children = [Child(spec) for spec in specs]
        self._log = log
        self._grace_seconds = grace_seconds
        self._on_exit_hook = on_exit
        # Only we hold the writing end, so its closing tells every child that we are gone, even by kill -9.
        self._lifeline, self._lifeline_writer = os.pipe()
        self._rolling = RollingRestart(
            start=self._start, on_exit=self._discard, log=log, drain_seconds=grace_seconds
        )

    def run(self, stop: StopSignals, dependencies_ready: Callable[[], bool] = lambda: True) -> int:
        """Returns 0 when asked to stop, `GAVE_UP` when something kept dying; by then no child runs.

        While `dependencies_ready` returns False, what the children need isn't there: those that run go on, none is started.
        """
        try:
            while not stop.requests:
                ready = dependencies_ready()
                if ready:
                    self._start_due()
                    if stop.take_restart():
                        self._rolling.begin(self._children)
                self._rolling.step()
                stop.wait(self._wait_seconds(ready=ready))
                self._collect_exits(ready=ready)
        except StopRequested:
            pass
        except RestartLimitReached as reason:
            self._log(str(reason))
            return GAVE_UP
        finally:
            self._stop_all(stop)
            os.close(self._lifeline)
            os.close(self._lifeline_writer)
        return 0

    def _start_due(self) -> None:
        for child in self._children:
            if child.process is None and child.start_at <= time.monotonic():
                try:
                    child.process = self._start(child.spec)
                except OSError as error:
                    self._schedule_restart(child, f"can't be started: {error}")

    def _start(self, spec: ChildSpec) -> ChildProcess:
        return ChildProcess(spec, self._lifeline)

    def _wait_seconds(self, *, ready: bool) -> float:
        waiting = [child.start_at - time.monotonic() for child in self._children if child.process is None]
        longest = _ROLLING_WAIT_SECONDS if self._rolling.is_under_way else _MAX_WAIT_SECONDS
        return min([longest, *(waiting if ready else [])])

    def _collect_exits(self, *, ready: bool) -> None:
        for child in self._children:
            if child.process is not None and (returncode := child.process.returncode) is not None:
                self._discard(child.process)
                child.process = None
                how = describe_exit(returncode)
                if returncode == AWAY:
                    # However often: another start can't help, and giving up would not either.
                    self._log(f"{child.spec.name} can't start yet; trying again in {_RETRY_SECONDS:g} s")
                    child.start_at = time.monotonic() + _RETRY_SECONDS
                elif ready:
                    self._schedule_restart(child, how)
                else:
                    # A restart would not help, so it doesn't count as a failure.
                    self._log(f"{child.spec.name} died ({how}); starting it again when the database is back")

    def _schedule_restart(self, child: Child, how: str) -> None:
        delay = child.restarts.delay_after(time.monotonic(), how)
        self._log(f"{child.spec.name} died ({how}); starting it again in {delay:g} s")
        child.start_at = time.monotonic() + delay

    def _discard(self, process: ChildProcess) -> None:
        self._on_exit_hook(process.pid)
        process.close()

    def _stop_all(self, stop: StopSignals) -> None:
        processes = {child.process: child.spec.name for child in self._children if child.process is not None}
        if (spare := self._rolling.spare) is not None:
            processes[spare] = f"a process being replaced (pid {spare.pid})"
        for process in processes:
            process.ask_to_stop(stop.signal)
        deadline = time.monotonic() + self._grace_seconds
        while (
            any(process.returncode is None for process in processes)
            and stop.requests < 2
            and (remaining := deadline - time.monotonic()) > 0
        ):
            stop.wait(min(_MAX_WAIT_SECONDS, remaining))
        reason = "we were asked twice" if stop.requests > 1 else f"not done after {self._grace_seconds:g} s"
        for process, name in processes.items():
            if process.returncode is None:
                self._log(f"{name} is killed: {reason}")
                process.kill()
            process.close()
