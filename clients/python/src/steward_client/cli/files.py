"""Files that are there as a whole or not at all."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from steward_client.cli.errors import REFUSED, CommandError


@contextlib.contextmanager
def replaced(file: Path) -> Iterator[IO[bytes]]:
    """Written beside, and moved into place when all of it is there."""
    # What a link points to is replaced, not the link.
    target = Path(os.path.realpath(file))
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        with beside.open("xb") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        with contextlib.suppress(FileNotFoundError):
            beside.chmod(target.stat().st_mode)
        beside.replace(target)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise CommandError(f"{file} can't be written: {error.strerror}", REFUSED) from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
