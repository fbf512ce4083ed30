"""Where a process runs, written so that others on the same machine can find out whether it has ended.

A process that was killed can't give up its lease. Processes on the same machine see that it has ended, and that it caches nothing any
more; those on other machines wait until its lease is over.
"""

import os
from pathlib import Path

_PROC = Path("/proc")
# Fields of /proc/PID/stat, counted from behind the name of the program, which stands in brackets and may hold anything.
_STATE, _STARTED = 0, 19
# Ended, while its parent hasn't asked for its exit status.
_ENDED = ("Z", "X")


def own_place() -> str | None:
    """The boot of the machine, the PID namespace, the PID and the start time of this process; None where /proc doesn't say."""
    namespace, own = _namespace(_PROC), _stat(_PROC, os.getpid())
    return None if namespace is None or own is None else f"{namespace} {os.getpid()} {own[_STARTED]}"


def is_gone(place: str | None, proc: Path = _PROC) -> bool:
    """Whether a process of this machine has ended; False where that can't be found out."""
    if place is None or (namespace := _namespace(proc)) is None:
        return False
    there, pid, started = place.rsplit(maxsplit=2)
    if there != namespace:
        return False
    found = _stat(proc, int(pid))
    if found is None:
        return not _exists(int(pid))
    return found[_STATE] in _ENDED or found[_STARTED] != started


def _namespace(proc: Path) -> str | None:
    try:
        boot = (proc / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {(proc / 'self/ns/pid').readlink()}"
    except OSError:
        return None


def _stat(proc: Path, pid: int) -> list[str] | None:
    try:
        text = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def _exists(pid: int) -> bool:
    """Also of other accounts, whose processes /proc may hide (its mount option `hidepid`)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
