"""Where a process runs, in a word that others on the same machine can check: whether it is gone, and its memory with it.

Who was killed can't say that it goes. Elsewhere nobody can know it, and its lease is waited for.
"""

import os
from pathlib import Path

_PROC = Path("/proc")
# What `stat` says of a process behind its name, which stands in brackets and may hold anything.
_STATE, _STARTED = 0, 19
# It has ended, and its parent hasn't asked how.
_ENDED = ("Z", "X")


def own_place() -> str | None:
    """The start of the machine, the processes that see each other, the number and the start of the process; None where these
    can't be known."""
    around, own = _around(), _stat(os.getpid())
    return None if around is None or own is None else f"{around} {os.getpid()} {own[_STARTED]}"


def is_gone(place: str | None) -> bool:
    """Whether a process of this machine is there no more. What can't be known is taken for a no."""
    if place is None or (around := _around()) is None:
        return False
    there, number, started = place.rsplit(maxsplit=2)
    if there != around:
        return False
    found = _stat(int(number))
    return found is None or found[_STATE] in _ENDED or found[_STARTED] != started


def _around() -> str | None:
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot} {(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return None


def _stat(number: int) -> list[str] | None:
    try:
        text = (_PROC / str(number) / "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text.rpartition(")")[2].split()
