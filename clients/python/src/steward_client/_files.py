"""Files that are there as a whole or not at all."""

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replaced(path: str | os.PathLike[str], *, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Written beside, and moved into place when all of it is there; raises OSError.

    A link stays: what it points to is replaced. So does the mode, unless another one is given. What is no file, such as a
    pipe or a device, is written as it is.
    """
    found = _found(path)
    if found is not None and not stat.S_ISREG(found.st_mode):
        with Path(path).open("wb") as opened:
            yield opened
        return
    wanted = stat.S_IMODE(found.st_mode) if mode is None and found is not None else mode
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with _created(beside, wanted) as opened:
            yield opened
            settle(opened)
        beside.replace(target)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()


def settle(file: IO[bytes]) -> None:
    """All that was written is on the disk, where there is one behind it."""
    file.flush()
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


def _found(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)  # noqa: PTH116 (a path may be any that Python knows)
    except FileNotFoundError:
        return None


def _created(path: Path, mode: int | None) -> IO[bytes]:
    """Nobody else may read it before it has its mode."""
    first = 0o666 if mode is None else 0o600
    opened = open(path, "xb", opener=lambda name, flags: os.open(name, flags, first))  # noqa: SIM115 (with an opener)
    if mode is not None:
        path.chmod(mode)
    return opened
