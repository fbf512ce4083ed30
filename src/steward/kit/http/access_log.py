"""One log line and the figures of every request. Those of the same moment are seen to together, which costs a third."""

import asyncio
import time
from collections import defaultdict
from typing import NamedTuple

from steward.kit.http.request import Request
from steward.kit.runtime.log import FLUSH_SECONDS, REQUEST_LINES
from steward.kit.runtime.metrics import request_figures
from steward.kit.security.caller import Caller


class _Answered(NamedTuple):
    request_id: str
    caller: Caller | None
    route: str
    status: int
    seconds: float
    moment: float


_answered: list[_Answered] = []


def observe(request: Request, route: str, status: int) -> None:
    if not _answered:
        asyncio.get_running_loop().call_later(FLUSH_SECONDS, write_observed)
    seconds = time.perf_counter() - request.started
    _answered.append(_Answered(request.id, request.caller, route, status, seconds, time.time()))


def write_observed() -> None:
    """Also to be called before the process ends."""
    durations: dict[tuple[str, int], list[float]] = defaultdict(list)
    for request_id, caller, route, status, seconds, moment in _answered:
        durations[route, status].append(seconds)
        line = {
            "event": "request",
            "request": request_id,
            "organization": caller.tenant if caller else None,
            "key": caller.key if caller else None,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 2),
        }
        REQUEST_LINES.write(line, moment)
    _answered.clear()
    for (route, status), taken in durations.items():
        answered, duration = request_figures(route, status)
        answered.inc(len(taken))
        for seconds in taken:
            duration.observe(seconds)
    REQUEST_LINES.flush()
