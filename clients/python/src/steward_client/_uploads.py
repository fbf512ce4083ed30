"""What is sent as a file: from a path, an open file, bytes, or pieces as they come."""

import os
from collections.abc import AsyncIterable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

CHUNK = 64 * 1024
# A string is a path.
Source: TypeAlias = str | os.PathLike[str] | bytes | BinaryIO | Iterable[bytes]
AsyncSource: TypeAlias = Source | AsyncIterable[bytes]


class Upload:
    """A source that knows whether it can be sent a second time."""

    def __init__(self, source: AsyncSource) -> None:
        if isinstance(source, str | os.PathLike):
            source = Path(source)
            if not source.is_file():
                raise FileNotFoundError(f"there is no file {source}")
        self.pieces: bytes | Iterable[bytes] | AsyncIterable[bytes] | None = None
        self.path: Path | None = None
        self.file: Any = None
        if isinstance(source, Path):
            self.path = source
        elif hasattr(source, "read"):
            self.file = source
        else:
            self.pieces = source
        self._start = self.file.tell() if self.file is not None and self.file.seekable() else None
        self._begun = False

    @property
    def repeatable(self) -> bool:
        """Pieces that were handed over are gone; everything else starts again."""
        again = self.path is not None or self._start is not None or isinstance(self.pieces, bytes)
        return again or not self._begun

    def begin(self) -> BinaryIO | None:
        """The file to read, from where it was when we got it; None where there are pieces."""
        self._begun = True
        if self.path is not None:
            return self.path.open("rb")
        if self._start is not None:
            self.file.seek(self._start)
        return self.file  # type: ignore[no-any-return]  # whatever has `read`

    def end(self, file: BinaryIO) -> None:
        """Closes what we opened."""
        if self.path is not None:
            file.close()
