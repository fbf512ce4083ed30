"""Folders and files of ours, made so that nothing which was there before changes."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from steward.supervisor.errors import UpError
from steward.supervisor.system_account import SystemAccount

_MEMORY = Path("/dev/shm")  # noqa: S108  (folders in it are private, and checked to be)


def ensure_folder(path: Path, mode: int, *, shares_owner: bool = False) -> None:
    """Makes the folder with exactly this mode, whatever the umask; one that exists is left as it is.

    With `shares_owner` one that root makes gets the owner of the folder around it.
    """
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        path.chmod(mode)
        if shares_owner:
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                _share_owner(descriptor, path.parent)
            finally:
                os.close(descriptor)


def open_or_create(path: Path, flags: int) -> int:
    """A descriptor of a file that only its owner may read. One that root makes gets the owner of its folder."""
    try:
        descriptor = os.open(path, flags | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        # Not chowned: in a folder of another account it may be a hard link to any file.
        return os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    _share_owner(descriptor, path.parent)
    return descriptor


def _share_owner(descriptor: int, like: Path) -> None:
    """Gives what root has just made to the owner of `like`: a service that isn't root has to open it, too."""
    if os.geteuid() == 0:
        found = like.stat()
        os.fchown(descriptor, found.st_uid, found.st_gid)


def ensure_private_folder(path: Path, account: SystemAccount) -> None:
    """A folder that only `account` (and root) may enter. Anyone else's in its place is refused, not repaired."""
    if not path.is_symlink() and not path.exists():
        path.mkdir(mode=0o700)
    found = path.lstat()
    if (
        not stat.S_ISDIR(found.st_mode)
        or found.st_uid not in {account.uid, os.geteuid()}
        or found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    ):
        raise UpError(f"{path} is not a private folder of {account.name}; remove it, or say why it is there")
    if found.st_uid != account.uid:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)


def ensure_folder_for(path: Path, account: SystemAccount, guest: SystemAccount | None) -> None:
    """A private folder of `account` that the guest's group may go through; what is made in it is that group's, too."""
    if guest is None or guest.uid == account.uid:
        if path.is_dir() and not path.is_symlink() and os.geteuid() == 0:
            _set_owner(path, account, account.gid, 0o700)
        ensure_private_folder(path, account)
        return
    if not path.is_symlink() and not path.exists():
        path.mkdir(mode=0o700)
    _set_owner(path, account, guest.gid, 0o2710)


def _set_owner(path: Path, account: SystemAccount, gid: int, mode: int) -> None:
    """By root, and through a descriptor: nobody puts another folder in its place meanwhile. One that is neither's is refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        raise UpError(f"{path} is not a private folder of {account.name}: {error.strerror}") from error
    try:
        found = os.fstat(descriptor)
        if found.st_uid not in {account.uid, os.geteuid()} or found.st_mode & 0o027:
            raise UpError(
                f"{path} is not a private folder of {account.name}; remove it, or say why it is there"
            )
        os.fchown(descriptor, account.uid, gid)
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)


def shared_memory_folder(data_dir: Path) -> Path:
    """A name for what lives no longer than this start, in memory where the system has such a place."""
    place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())
    return place / f"steward-{digest(data_dir.resolve())}-figures"


def digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]


def write_atomically(path: Path, content: str, *, mode: int = 0o600, replace: bool = True) -> None:
    """The whole content under its name or none of it, also after a power cut.

    Without `replace` a file that exists stays, and FileExistsError says so. What root writes gets the owner of the file that it
    replaces, or of its folder.
    """
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            _share_owner(descriptor, path if path.exists() else path.parent)
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if replace:
            unfinished.replace(path)
        else:
            os.link(unfinished, path)
        sync_folder(path.parent)
    finally:
        unfinished.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Makes the names in a folder survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
