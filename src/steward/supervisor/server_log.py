"""The log file of the embedded PostgreSQL."""

import os
import shutil
from pathlib import Path
from typing import IO, NamedTuple

from steward.supervisor.filesystem import open_or_create
from steward.supervisor.postgres_programs import error_lines

_LIMIT = 10_000_000


class ServerLog(NamedTuple):
    path: Path

    def open(self) -> IO[bytes]:
        return os.fdopen(open_or_create(self.path, os.O_WRONLY | os.O_APPEND), "ab")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def errors_since(self, offset: int) -> str:
        return error_lines(self.path.read_bytes()[offset:].decode(errors="replace"))

    def rotate(self) -> None:
        """Keeps one old file. The server appends, so it continues at the start of the emptied file."""
        if self.size() > _LIMIT:
            predecessor = self.path.with_suffix(".log.1")
            try:
                shutil.copyfile(self.path, predecessor)
            except OSError:
                # No room for both: then the space is needed more than what was said long ago.
                predecessor.unlink(missing_ok=True)
            os.truncate(self.path, 0)
