"""Under which conditions tests are run: what they find on one machine and not on another."""

import atexit
import contextlib
import datetime as dt
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scripts.hunt import unprivileged

_LOOPS_PER_CORE = 2
_SOURCE = Path(__file__).with_name("clock.c")
# Long enough for the services of the tests to start before the day ends.
_BEFORE = dt.timedelta(seconds=40)


class Condition(NamedTuple):
    name: str
    environment: dict[str, str] = {}
    busy: bool = False
    # What the wall clock shows when a round begins, as a month, a day and an hour of next year.
    clock: tuple[int, int, int] | None = None
    unprivileged: bool = False

    def impossible(self) -> str | None:
        """Why this machine can't bring it about."""
        if self.clock and shutil.which("cc") is None:
            return "no C compiler for the clock: apt-get install gcc libc6-dev"
        return unprivileged.impossible() if self.unprivileged else None

    @contextlib.contextmanager
    def brought_about(self) -> Iterator[dict[str, str]]:
        """The environment for a run of pytest under this condition."""
        loops = [_busy_loop() for _ in range(_LOOPS_PER_CORE * (os.cpu_count() or 1))] if self.busy else []
        try:
            yield {**self.environment, **(_shifted_clock(*self.clock) if self.clock else {})}
        finally:
            for loop in loops:
                loop.kill()
                loop.wait()


CONDITIONS = (
    Condition("alone"),
    Condition("busy", busy=True),
    Condition("midnight", clock=(3, 10, 0)),
    Condition("midnight in Berlin", clock=(7, 15, 22)),
    Condition("end of a month", clock=(2, 1, 0)),
    Condition("end of a year", clock=(1, 1, 0)),
    Condition("quick looks", {"STEWARD_TEST_PAUSES": "0.1"}),
    Condition("slow looks", {"STEWARD_TEST_PAUSES": "10"}),
    Condition("unprivileged", unprivileged=True),
)


def _busy_loop() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", "while True: pass"])


def _shifted_clock(month: int, day: int, hour: int) -> dict[str, str]:
    """Every process that a test starts sees the same later time, PostgreSQL and the browser included."""
    now = dt.datetime.now(dt.UTC)
    shown = dt.datetime(now.year + 1, month, day, hour, tzinfo=dt.UTC) - _BEFORE
    # The clock of this process may be ahead itself: a hunt runs the tests of the hunt, too.
    ahead = int((shown - now).total_seconds()) + int(os.environ.get("HUNT_CLOCK_AHEAD", "0"))
    return {"LD_PRELOAD": str(_clock()), "HUNT_CLOCK_AHEAD": str(ahead)}


@cache
def _clock() -> Path:
    """The library that is preloaded; where every account can read it, and mounted programs can load it."""
    built = Path(tempfile.mkdtemp(prefix="steward-clock-"), "clock.so")
    atexit.register(shutil.rmtree, built.parent)
    built.parent.chmod(0o755)
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(built), str(_SOURCE), "-ldl"], check=True)
    return built
