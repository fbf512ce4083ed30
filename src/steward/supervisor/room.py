"""Whether the volumes of a database have room. PostgreSQL ends, and doesn't start, where it can't write its log."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

MEBIBYTE = 1 << 20
# Two segments of its log, with which PostgreSQL starts and ends its recovery.
NEEDED = 32 * MEBIBYTE
_NO_SPACE = ("No space left on device", "Disk quota exceeded")


class Room(NamedTuple):
    """What is free on the fullest volume."""

    folder: Path
    free: int

    @property
    def is_enough(self) -> bool:
        return self.free >= NEEDED

    def __str__(self) -> str:
        return f"{self.free / MEBIBYTE:.1f} MiB free on the volume of {self.folder}"


def room_of(cluster: Path) -> Room:
    """The log may lie on a volume of its own, behind a link."""
    return fullest(folder for folder in (cluster, (cluster / "pg_wal").resolve()) if folder.is_dir())


def fullest(folders: Iterable[Path]) -> Room:
    rooms = []
    for folder in folders:
        found = os.statvfs(folder)
        # What root could still use is nothing to PostgreSQL.
        rooms.append(Room(folder, found.f_bavail * found.f_frsize))
    return min(rooms, key=lambda room: room.free)


def tells_of_no_space(said: str) -> bool:
    return any(words in said for words in _NO_SPACE)
