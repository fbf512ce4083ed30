"""Files that commands write."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from steward_client import _files
from steward_client.cli.errors import REFUSED, CommandError


@contextlib.contextmanager
def replaced(file: Path) -> Iterator[IO[bytes]]:
    """As a whole or not at all; what goes wrong is said in one line."""
    try:
        with _files.replaced(file) as opened:
            yield opened
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{file} can't be written: {error.strerror}", REFUSED) from None
