"""The data directory belongs to one Steward at a time, and keeps its secret."""

import base64
import errno
import fcntl
import os
import secrets
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from steward.settings import Settings, parsing
from steward.supervisor.errors import InUseError, UpError
from steward.supervisor.filesystem import ensure_folder, open_or_create, write_atomically
from steward.supervisor.system_account import SystemAccount, can_reach

_KEY_BYTES = 32
_PRIVATE, _TRAVERSABLE = 0o700, 0o711
# Everything that Steward keeps in a data directory, now or in versions before, and what a volume brings along.
_OURS = frozenset(
    {"lock", "secret.key", "postgres", "postgres.location", "demo.json", "metrics", "lost+found"}
)


class FileLock:
    """An exclusive lock that the kernel lets go of when we die. The file names its holder for people."""

    def __init__(self, path: Path, *, what: str) -> None:
        # Python's descriptors aren't inherited: a child that outlives us must not hold the lock for us.
        self._descriptor = open_or_create(path, os.O_RDWR)
        holder = os.read(self._descriptor, 32).decode(errors="replace").strip()
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._descriptor)
            raise InUseError(f"{what} is in use by another Steward (pid {holder or 'unknown'})") from None
        # An orderly stop empties the file.
        self.left_by_crash = bool(holder)
        os.ftruncate(self._descriptor, 0)
        try:
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            # On a full volume the lock holds all the same; only people miss the number.
            if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
                raise

    def release(self) -> None:
        os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def lock_data_dir(data_dir: Path, *, traversed_by: SystemAccount | None = None) -> FileLock:
    """Makes the directory when it is absent, and takes it for this process.

    `traversed_by` is who has its database inside: it may go through, not look around.
    """
    try:
        if data_dir.is_dir():
            _restrict_mode(data_dir)
        else:
            data_dir.parent.mkdir(parents=True, exist_ok=True)
            account = traversed_by or SystemAccount.current()
            private = account.is_current or not can_reach(account, data_dir)
            ensure_folder(data_dir, _PRIVATE if private else _TRAVERSABLE)
        return FileLock(data_dir / "lock", what=f"data directory {data_dir}")
    except OSError as error:
        raise UpError(f"data directory {data_dir} can't be used: {error.strerror}") from error


def _restrict_mode(data_dir: Path) -> None:
    """Takes from others what they need not have. A directory that also holds what isn't ours stays as it is."""
    found = data_dir.stat()
    mode = stat.S_IMODE(found.st_mode)
    # Root's may have another account's database inside, also when this start uses another one.
    allowed = mode & (_TRAVERSABLE if os.geteuid() == 0 else _PRIVATE)
    ours = found.st_uid == os.geteuid() and {entry.name for entry in data_dir.iterdir()} <= _OURS
    if ours and mode != allowed:
        data_dir.chmod(allowed)


def secret_keys(settings: Settings) -> tuple[bytes, ...]:
    """The configured key, or the data directory's own, which is made on first use; then others that open what is stored."""
    if settings.secret_key is not None:
        return settings.secret_key, *settings.other_secret_keys
    path = key_file(settings)
    try:
        if not path.exists():
            ensure_folder(settings.data_dir, _PRIVATE)
            # Two that start at once agree on the key of the first.
            with suppress(FileExistsError):
                write_key_file(path, [new_secret_key()], replace=False)
        return *_read_keys(path), *settings.other_secret_keys
    except OSError as error:
        raise UpError(f"the secret key {path} can't be used: {error.strerror}") from error


def key_file(settings: Settings) -> Path:
    return settings.data_dir / "secret.key"


def existing_secret_keys(settings: Settings) -> tuple[bytes, ...]:
    """Those that are there; none is made for what was set up with another. A data directory in which nothing was ever started has
    none, and nothing that is sealed."""
    path = key_file(settings)
    if settings.secret_key is None and not path.exists():
        if settings.database_url is None:
            return ()
        raise UpError(
            f"there is no secret key: set STEWARD_SECRET_KEY, or name the data directory that has secret.key, instead of {path.parent}"
        )
    return secret_keys(settings)


def refuse_other_keys(path: Path, keys: Sequence[bytes]) -> None:
    """A key that opens something else stays where it is."""
    if path.exists() and not set(keys) <= set(_read_keys(path)):
        raise UpError(f"{path} holds another secret key; move it away, or name another place")


def install_secret_keys(path: Path, keys: Sequence[bytes]) -> bool:
    """Puts keys where there are none; False where they are there already. Others are left alone, with an error."""
    try:
        refuse_other_keys(path, keys)
        if path.exists():
            return False
        ensure_folder(path.parent, _PRIVATE)
        write_key_file(path, keys, replace=False)
    except OSError as error:
        raise UpError(f"the secret key {path} can't be written: {error.strerror}") from error
    return True


def new_secret_key() -> bytes:
    return secrets.token_bytes(_KEY_BYTES)


def write_key_file(path: Path, keys: Sequence[bytes], *, replace: bool) -> None:
    """One a line: the first seals, all of them open."""
    lines = "".join(f"{base64.b64encode(key).decode()}\n" for key in keys)
    write_atomically(path, lines, mode=0o600, replace=replace)


def _read_keys(path: Path) -> tuple[bytes, ...]:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UpError(f"others may open the secret key {path} (mode {mode:04o}): run chmod 600 {path}")
    try:
        if keys := tuple(map(parsing.secret_key, path.read_text().split())):
            return keys
    except ValueError:
        pass
    raise UpError(f"the secret key {path} is damaged: it must be {_KEY_BYTES} bytes in base64")
