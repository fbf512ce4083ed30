"""CPU time of processes, all of their threads included: steadier than rates on a machine that others use, too."""

import os
from collections.abc import Iterator
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
# Counted behind the process name, which may hold spaces: state is the first.
_PARENT, _USER, _SYSTEM, _ENDED_USER, _ENDED_SYSTEM = 1, 11, 12, 13, 14


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def seconds_of(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICK


def seconds_of_family(pid: int) -> float:
    """A process and its children, such as PostgreSQL's server with one process per connection; also those that have ended."""
    while True:
        ended = _seconds_of_ended(pid)
        living = sum(_seconds_of_children(pid))
        # One that ended meanwhile is in neither of the two, or in both.
        if ended == _seconds_of_ended(pid):
            return seconds_of(pid) + ended + living


def _seconds_of_ended(pid: int) -> float:
    fields = _stat(pid)
    return (int(fields[_ENDED_USER]) + int(fields[_ENDED_SYSTEM])) / _TICK


def _seconds_of_children(pid: int) -> Iterator[float]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if int(_stat(int(folder.name))[_PARENT]) == pid:
                    yield seconds_of(int(folder.name))
            except OSError:  # ended while we looked
                continue
