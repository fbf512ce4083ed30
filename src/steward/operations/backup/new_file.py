"""A file that is whole under its name, or isn't there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from steward.operations.backup.model import BackupError


@contextmanager
def named(path: Path, verb: str) -> Iterator[None]:
    """What the system says of a file becomes a line that names it."""
    try:
        yield
    except OSError as error:
        raise BackupError(f"{path} can't be {verb}: {error.strerror}") from error


def require_new(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise BackupError(f"{path} exists already, and nothing is overwritten")


@contextmanager
def new_file(path: Path) -> Iterator[IO[bytes]]:
    """Readable by its owner only, under another name until it is whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    with named(path, "written"):
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        _give_name(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _give_name(unfinished: Path, path: Path) -> None:
    """A link takes no other file's place, as a new name would; not every file system knows links."""
    try:
        os.link(unfinished, path)
    except OSError:
        require_new(path)
        with named(path, "written"):
            unfinished.rename(path)
