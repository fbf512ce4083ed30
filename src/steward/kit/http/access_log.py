"""One log line and the metrics of every request.

Requests that finish in the same moment are logged together, which costs a third.
"""

import asyncio
import time
from collections import defaultdict
from typing import NamedTuple
from urllib.parse import quote

from steward.kit.http.request import Request
from steward.kit.runtime.log import FLUSH_SECONDS, REQUEST_LINES, Level
from steward.kit.runtime.metrics import request_figures
from steward.kit.security.caller import Caller


class _Answered(NamedTuple):
    request_id: str
    caller: Caller | None
    # The route label of a request that matched no route.
    path: str | None
    level: Level
    route: str
    status: int
    seconds: float
    moment: float


_answered: list[_Answered] = []

UNMATCHED = "none"
# Our identifiers are at most this long; anything longer may be a secret pasted into a wrong address.
_LONGEST_SEGMENT = 40
_LONGEST_PATH = 200


def observe(request: Request, route: str, status: int) -> None:
    if not _answered:
        asyncio.get_running_loop().call_later(FLUSH_SECONDS, write_observed)
    seconds = time.perf_counter() - request.started
    path = shown_path(request.path) if route == UNMATCHED else None
    level: Level = "debug" if request.route is not None and request.route.probe else "info"
    _answered.append(_Answered(request.id, request.caller, path, level, route, status, seconds, time.time()))


def shown_path(path: str) -> str:
    """A path as it may appear in a log: plain characters, bounded, without possible secrets."""
    segments = (
        quote(part) if len(part) <= _LONGEST_SEGMENT else f"{quote(part[:8])}..." for part in path.split("/")
    )
    return "/".join(segments)[:_LONGEST_PATH]


def write_observed() -> None:
    """Also called before the process ends."""
    durations: dict[tuple[str, int], list[float]] = defaultdict(list)
    for request_id, caller, path, level, route, status, seconds, moment in _answered:
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
        if path is not None:
            line["path"] = path
        REQUEST_LINES.write(line, moment, level)
    _answered.clear()
    for (route, status), taken in durations.items():
        answered, duration = request_figures(route, status)
        answered.inc(len(taken))
        for seconds in taken:
            duration.observe(seconds)
    REQUEST_LINES.flush()
