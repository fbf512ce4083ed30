"""Streams sealed with age (age-encryption.org), in either direction and with little memory.

pyrage calls its reader and writer itself, so it works in a thread and we are at the other end of a pipe.
"""

import os
import tarfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

from pyrage import (
    DecryptError,
    IdentityError,
    RecipientError,
    decrypt_io,
    encrypt_io,
    passphrase,
)
from pyrage.x25519 import Identity, Recipient

from steward.operations.backup.model import BackupError

_PIECE = 1 << 20


class Readable(Protocol):
    def read(self, count: int, /) -> bytes: ...


class _Worker(threading.Thread):
    """Runs until its end of the pipe is closed; what went wrong is in `error`."""

    def __init__(self, work: Callable[[], None], pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.error: Exception | None = None
        self._work, self._pipe = work, pipe

    def run(self) -> None:
        try:
            with self._pipe:
                self._work()
        except Exception as error:  # noqa: BLE001 (raised again at the other end)
            self.error = error


@contextmanager
def sealed_into(file: IO[bytes], recipients: Sequence[Recipient]) -> Iterator[IO[bytes]]:
    """What is written to the yielded pipe arrives sealed in `file`."""
    reader, writer = (os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    worker = _Worker(lambda: encrypt_io(reader, file, recipients), reader)
    worker.start()
    try:
        with writer:
            yield writer
    except BrokenPipeError:
        worker.join()
        if worker.error is None:
            raise
    finally:
        worker.join()
    if worker.error is not None:
        # pyrage keeps only the text of an error: "OSError: [Errno 28] No space left on device".
        raise BackupError(f"the backup can't be written: {str(worker.error).rpartition('] ')[2]}")


@contextmanager
def opened_from(file: Readable, identities: Sequence[Identity], path: Path) -> Iterator[IO[bytes]]:
    """A pipe with what is sealed in `file`. Leaving reads to the end: only there does age know that nothing is missing."""
    reader, writer = (os.fdopen(end, mode) for end, mode in zip(os.pipe(), ("rb", "wb"), strict=True))
    worker = _Worker(lambda: decrypt_io(file, writer, identities), writer)
    worker.start()
    try:
        with reader:
            yield reader
            while reader.read(_PIECE):
                pass
    except (tarfile.TarError, EOFError):
        worker.join()
        raise _unusable(path, worker.error) from None
    finally:
        worker.join()
    if worker.error is not None:
        raise _unusable(path, worker.error)


def _unusable(path: Path, error: Exception | None) -> BackupError:
    if isinstance(error, DecryptError) and "No matching keys" in str(error):
        return BackupError(f"{path} is sealed for other recipients than this identity")
    return BackupError(f"{path} is damaged: a part of it was changed or is missing")


def seal_identity(identity: Identity, secret: str) -> bytes:
    """A file that `age -d -i` takes as it is, asking for the passphrase."""
    return passphrase.encrypt(f"{identity}\n".encode(), secret)  # type: ignore[no-any-return]


def open_identity(sealed: bytes, secret: str, path: Path) -> Identity:
    try:
        return Identity.from_str(passphrase.decrypt(sealed, secret).decode().strip())
    except (DecryptError, IdentityError, ValueError):
        raise BackupError(f"this is not the passphrase of {path}") from None


def read_recipients(words: Sequence[str]) -> list[Recipient]:
    try:
        return [Recipient.from_str(word) for word in words]
    except RecipientError:
        raise BackupError("a recipient is a public key of age, age1…, as `age-keygen` prints it") from None


def read_identities(text: str) -> list[Identity]:
    lines = [line.strip() for line in text.splitlines()]
    try:
        found = [Identity.from_str(line) for line in lines if line and not line.startswith("#")]
    except IdentityError:
        found = []
    if not found:
        raise BackupError("the identity file has to be one of `age-keygen`: lines of AGE-SECRET-KEY-1…")
    return found
