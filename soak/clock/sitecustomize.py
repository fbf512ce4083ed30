"""A wall clock that can be set: on the PYTHONPATH of a service under soak, and of nothing else.

The file that SOAK_CLOCK names holds two numbers: seconds to add in the worker, and in every other process.
"""

import mmap
import os
import struct
import sys
import time

_real_time, _real_time_ns = time.time, time.time_ns


def _install(path: str) -> None:
    with open(path, "rb") as file:  # noqa: PTH123 (every process imports this)
        shared = mmap.mmap(file.fileno(), 16, prot=mmap.PROT_READ)
    at = 0 if "worker" in sys.orig_argv else 8

    def offset() -> float:
        return struct.unpack_from("d", shared, at)[0]

    time.time = lambda: _real_time() + offset()
    time.time_ns = lambda: _real_time_ns() + int(offset() * 1e9)


if "SOAK_CLOCK" in os.environ:
    _install(os.environ["SOAK_CLOCK"])
