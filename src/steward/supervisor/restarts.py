"""When a process that died is started again, and when we stop trying."""

import signal
from collections import deque
from collections.abc import Sequence

MAX_DEATHS = 5
WINDOW_SECONDS = 60
_FIRST_DELAY = 0.2
_MAX_DELAY_SECONDS = 5.0


class RestartLimitReached(Exception):  # noqa: N818  (a decision; its message is the operator's line)
    """Something keeps dying."""


def restart_delay(deaths: Sequence[float]) -> float | None:
    """Seconds to wait after the last of these moments; None says to give up.

    Doubles with each death in a row; a life longer than the window begins a new row.
    """
    last = deaths[-1]
    if sum(last - death < WINDOW_SECONDS for death in deaths) >= MAX_DEATHS:
        return None
    row = 1
    for earlier, later in zip(reversed(deaths[:-1]), reversed(deaths[1:]), strict=True):
        if later - earlier >= WINDOW_SECONDS:
            break
        row += 1
    return min(_MAX_DELAY_SECONDS, _FIRST_DELAY * 2.0 ** (row - 1))


class RestartBackoff:
    """The deaths of one process, as many as can still matter."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._deaths: deque[float] = deque(maxlen=2 * MAX_DEATHS)

    def delay_after(self, at: float, how: str) -> float:
        """Seconds until the next start; raises RestartLimitReached instead of one time too many."""
        self._deaths.append(at)
        delay = restart_delay(tuple(self._deaths))
        if delay is None:
            raise RestartLimitReached(
                f"{self._name} keeps dying ({MAX_DEATHS} times in {WINDOW_SECONDS} s, last: {how}); giving up"
            )
        return delay


def describe_exit(returncode: int) -> str:
    if returncode >= 0:
        return f"exit code {returncode}"
    try:
        return signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"
