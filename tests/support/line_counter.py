"""How much a piece of work costs, the same on every machine: the lines of ours that it runs.

What C code does in one of those lines, such as looking through a list, is not counted by lines. So there is a bound on the
processor's time as well, so wide that no machine misses it and no work that grows with the square of its input meets it.
"""

import sys
import time
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

from steward.kit.domain.problems import Problem

MAX_CPU_SECONDS = 5.0

# Identifiers draw their random parts in lots: whose turn that is has nothing to do with the work.
_NOT_COUNTED = "steward.kit.domain.ids"

Work = Callable[[], Any]


def run(work: Work) -> None:
    """To its end, whatever that is. A waiting task gets its turn back at once."""
    try:
        found = work()
        if isinstance(found, Coroutine):
            while True:
                found.send(None)
    except (Problem, StopIteration):
        return


def lines_of(work: Work) -> int:
    count = 0

    def in_ours(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return in_ours

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        module = frame.f_globals.get("__name__", "")
        return in_ours if module.startswith("steward.") and module != _NOT_COUNTED else None

    # What is remembered from the first time is there the second.
    run(work)
    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        run(work)
    finally:
        sys.settrace(before)
    return count


def cpu_seconds(work: Work) -> float:
    """Without what `make coverage` adds to each call."""
    before = sys.gettrace()
    sys.settrace(None)
    try:
        began = time.thread_time()
        run(work)
        return time.thread_time() - began
    finally:
        sys.settrace(before)
