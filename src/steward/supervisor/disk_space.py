"""Whether the volumes of a database have space. PostgreSQL ends, and doesn't start, where it can't write its log."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# Tells a child of the supervisor where the embedded database lies.
CLUSTER = "STEWARD_CLUSTER"

MEBIBYTE = 1 << 20
# Two segments of its log, with which PostgreSQL starts and ends its recovery.
NEEDED_BYTES = 32 * MEBIBYTE
_NO_SPACE = ("No space left on device", "Disk quota exceeded")


class DiskSpace(NamedTuple):
    """What is free on the fullest volume."""

    folder: Path
    free: int

    @property
    def is_enough(self) -> bool:
        return self.free >= NEEDED_BYTES

    def __str__(self) -> str:
        return f"{self.free / MEBIBYTE:.1f} MiB free on the volume of {self.folder}"


def cluster_disk_space(cluster: Path) -> DiskSpace:
    """The log may lie on a volume of its own, behind a link."""
    return least_free(folder for folder in (cluster, (cluster / "pg_wal").resolve()) if folder.is_dir())


def least_free(folders: Iterable[Path]) -> DiskSpace:
    spaces = []
    for folder in folders:
        found = os.statvfs(folder)
        # What root could still use is nothing to PostgreSQL.
        spaces.append(DiskSpace(folder, found.f_bavail * found.f_frsize))
    return min(spaces, key=lambda space: space.free)


def reports_no_space(message: str) -> bool:
    return any(words in message for words in _NO_SPACE)
