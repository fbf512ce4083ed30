"""The file of a backup: a tar archive with `backup.tar.age`, and with `identity.age` where a passphrase opens it."""

import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pyrage.x25519 import Identity, Recipient

from steward.operations.backup.model import BackupError
from steward.operations.backup.new_file import named
from steward.operations.backup.sealed import open_identity, opened_from, seal_identity, sealed_into

_IDENTITY = "identity.age"
_SEALED = "backup.tar.age"
_MAX_IDENTITY = 1 << 16
_END = bytes(2 * tarfile.BLOCKSIZE)


class Key:
    """What seals a backup: recipients, or a passphrase.

    pyrage seals by a passphrase only what fits into memory. So the passphrase seals an identity made for this one backup, and
    the identity opens the rest; age takes such an identity file as it is.
    """

    def __init__(self, recipients: Sequence[Recipient] = (), passphrase: str | None = None) -> None:
        self.recipients = list(recipients)
        self.sealed_identity: bytes | None = None
        if passphrase is not None:
            identity = Identity.generate()
            self.recipients.append(identity.to_public())
            self.sealed_identity = seal_identity(identity, passphrase)


class ArchiveWriter:
    """Adds members one after the other to a stream."""

    def __init__(self, out: IO[bytes], now: int) -> None:
        self._out, self._now = out, now

    def add(self, name: str, content: bytes) -> None:
        self._out.write(_header(name, len(content), self._now) + content + _padding(len(content)))


@contextmanager
def new_archive(file: IO[bytes], key: Key, *, now: int) -> Iterator[ArchiveWriter]:
    outer = ArchiveWriter(file, now)
    if key.sealed_identity is not None:
        outer.add(_IDENTITY, key.sealed_identity)
    at = file.tell()
    file.write(bytes(tarfile.BLOCKSIZE))  # the header, once the size is known
    with sealed_into(file, key.recipients) as sealed:
        yield ArchiveWriter(sealed, now)
        sealed.write(_END)
    size = file.tell() - at - tarfile.BLOCKSIZE
    file.write(_padding(size) + _END)
    file.seek(at)
    file.write(_header(_SEALED, size, now))
    file.flush()
    os.fsync(file.fileno())


def _header(name: str, size: int, now: int) -> bytes:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, now, 0o600
    return info.tobuf(tarfile.GNU_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)


class SealedBackup:
    """A backup on disk with what opens it. `members` can be read again and again."""

    def __init__(
        self, path: Path, identities: Sequence[Identity] = (), passphrase: str | None = None
    ) -> None:
        self.path = path
        self.read = 0
        with self._file() as file:
            try:
                with tarfile.open(fileobj=file, mode="r:") as outer:
                    found = {member.name: member for member in outer}
                    identity = outer.extractfile(_IDENTITY) if _IDENTITY in found else None
                    sealed_identity = identity.read(_MAX_IDENTITY) if identity is not None else None
            except tarfile.TarError:
                raise BackupError(f"{path} is no backup of Steward, or is cut off") from None
        if _SEALED not in found:
            raise BackupError(f"{path} is no backup of Steward: it has no {_SEALED}")
        self._begin = found[_SEALED].offset_data
        self.size = found[_SEALED].size
        self._identities = list(identities)
        if sealed_identity is not None and passphrase is not None:
            self._identities.append(open_identity(sealed_identity, passphrase, path))
        if not self._identities:
            by = "recipients: give --identity-file" if sealed_identity is None else "a passphrase"
            raise BackupError(f"{path} is sealed by {by}")

    @contextmanager
    def members(self) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
        """Name and content of each. What is read is authentic; that nothing is missing is certain only after leaving."""
        with self._file() as file:
            file.seek(self._begin)
            with (
                opened_from(_Section(file, self), self._identities, self.path) as opened,
                tarfile.open(fileobj=opened, mode="r|") as archive,
            ):
                yield ((each.name, content) for each in archive if (content := archive.extractfile(each)))

    def _file(self) -> IO[bytes]:
        with named(self.path, "read"):
            return self.path.open("rb")


class _Section:
    """The sealed member of the file, as pyrage reads it."""

    def __init__(self, file: IO[bytes], backup: SealedBackup) -> None:
        self._file, self._backup = file, backup
        backup.read = 0

    def read(self, count: int) -> bytes:
        data = self._file.read(min(count, self._backup.size - self._backup.read))
        self._backup.read += len(data)
        return data
