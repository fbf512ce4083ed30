"""CPU time of processes, all of their threads included: steadier than rates on a machine that others use, too."""

from contextlib import suppress

import psutil


def seconds_of(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


def seconds_of_family(pid: int) -> float:
    """A process and its children, such as PostgreSQL's server with one process per connection; also those that have ended."""
    process = psutil.Process(pid)
    while True:
        ended, living = _seconds_of_ended(process), 0.0
        for child in process.children():
            with suppress(psutil.NoSuchProcess):  # ended while we looked
                living += seconds_of(child.pid)
        # One that ended meanwhile is in neither of the two, or in both.
        if ended == _seconds_of_ended(process):
            return seconds_of(pid) + ended + living


def _seconds_of_ended(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.children_user + times.children_system)
