"""Identifiers: a prefix that tells the kind, then a part that sorts by time of making."""

import os
import threading
import time

_lock = threading.Lock()
_last = 0

# Sorts after every identifier: where a list begins that has no cursor yet.
AFTER_ALL = "~"


def new_id(prefix: str) -> str:
    """`wo` → `wo_0006479f…`: 56 bits of microseconds, strictly growing within a process, then 56 random bits."""
    global _last  # noqa: PLW0603 (the clock may stand still between two calls; the identifiers must not)
    with _lock:
        _last = max(time.time_ns() // 1000, _last + 1)
        moment = _last
    return f"{prefix}_{moment:014x}{os.urandom(7).hex()}"
