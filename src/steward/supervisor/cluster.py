"""Where a data directory's cluster lives, and how it comes to be: whole, or not at all."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from steward.supervisor.binaries import MAJOR_VERSION, SYSTEM_FOLDER
from steward.supervisor.errors import UpError
from steward.supervisor.filesystem import (
    digest,
    ensure_folder,
    ensure_folder_for,
    ensure_private_folder,
    sync_folder,
    write_atomically,
)
from steward.supervisor.postgres_programs import PostgresPrograms
from steward.supervisor.server_log import ServerLog
from steward.supervisor.system_account import SystemAccount, can_reach, has_permission

ROLE = DATABASE = "steward"
_UNFINISHED = "unfinished-"
# What every part (PostgreSQL, drivers, URLs) takes literally; "," for one would separate two socket folders.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._ +-]{1,89}")  # 103 bytes, the shortest limit, less "/.s.PGSQL.5432"


class ClusterLocation(NamedTuple):
    """The folder around one cluster, and the account that runs its server.

    The folder belongs to the owner of the data directory around it, or to us: were it the account's, a link in place of the log
    could have root write anywhere.
    """

    folder: Path
    account: SystemAccount

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    @property
    def log(self) -> ServerLog:
        return ServerLog(self.folder / "postgres.log")


def find_location(data_dir: Path) -> ClusterLocation | None:
    """Where the cluster is that this data directory already has."""
    note = _location_file(data_dir)
    folder = Path(note.read_text().strip()) if note.exists() else data_dir.resolve() / "postgres"
    location = ClusterLocation(folder, SystemAccount.current())
    if location.cluster.is_dir():
        # Its files keep their owner, even if we would choose another account today.
        return location._replace(account=SystemAccount.owner_of(location.cluster))
    if note.exists():
        raise UpError(
            f"the database at {folder}, recorded in {note}, is gone: bring it back, "
            f"or delete {note} to begin with an empty one"
        )
    return None


def choose_location(data_dir: Path, account: SystemAccount) -> ClusterLocation:
    """Where a new cluster goes: into the data directory, or beside it where the account can't enter that."""
    inside = data_dir.resolve() / "postgres"
    if account.is_current:
        ensure_folder(inside, 0o700)
        return ClusterLocation(inside, account)
    if can_reach(account, inside):
        ensure_folder(inside, 0o711, shares_owner=True)
        return ClusterLocation(inside, account)
    outside = _folder_outside(data_dir)
    ensure_folder(SYSTEM_FOLDER, 0o755)
    ensure_folder(outside.parent, 0o711)
    if not can_reach(account, outside):
        raise UpError(f"the account {account.name} can't enter {outside.parent}, where its database would be")
    ensure_folder(outside, 0o711)
    return ClusterLocation(outside, account)


def create_cluster(location: ClusterLocation, programs: PostgresPrograms) -> None:
    """Makes the cluster with its database under another name first, so that a kill leaves none half-made."""
    _remove_unfinished(location)
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=location.folder))
    try:
        ensure_private_folder(unfinished, location.account)
        _initialise(unfinished, programs)
        # Single-user mode needs no server; nothing is synced until the end, so nothing waits for the disk twice.
        statement = f"CREATE DATABASE {DATABASE} STRATEGY file_copy;\n"
        programs.run("postgres", ["--single", "-F", "-D", str(unfinished), "template1"], stdin=statement)
        programs.run("initdb", ["--sync-only", "-D", str(unfinished)])
        unfinished.rename(location.cluster)
        sync_folder(location.folder)
    finally:
        # A second time also for what others left: programs of one that was killed may have written on for a moment.
        _remove_unfinished(location)


def _remove_unfinished(location: ClusterLocation) -> None:
    for folder in location.folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _initialise(folder: Path, programs: PostgresPrograms) -> None:
    options = ["--username", ROLE, "--encoding", "UTF8", "--auth-local", "trust", "--auth-host", "reject"]
    options += ["--data-checksums", "--no-sync", "--no-instructions", "-D", str(folder)]
    try:
        programs.run("initdb", ["--locale", "C.UTF-8", *options])
    except UpError:
        # Some system has no such locale; `C` knows no upper and lower case beyond ASCII, but is everywhere.
        programs.run("initdb", ["--locale", "C", *options])


def record_location(data_dir: Path, location: ClusterLocation) -> None:
    """Notes a place outside the data directory in it. One inside needs no note and may be moved along."""
    if location.folder.parent != data_dir.resolve():
        write_atomically(_location_file(data_dir), f"{location.folder}\n", mode=0o644)


def check_version(location: ClusterLocation) -> None:
    found = (location.cluster / "PG_VERSION").read_text().strip()
    if found != MAJOR_VERSION:
        raise UpError(
            f"the database in {location.cluster} was made by PostgreSQL {found}, but this Steward carries "
            f"PostgreSQL {MAJOR_VERSION}: back it up with the Steward that made it (steward backup), and restore that into "
            "another data directory with this one (steward restore)"
        )


def socket_folder(location: ClusterLocation, guest: SystemAccount | None = None) -> Path:
    """The folder of the server's socket, private but for a guest: in its folder, or under a short name where that path is too
    long, or where the guest can't come."""
    folder = location.folder / "socket"
    if not _PLAIN_PATH.fullmatch(str(folder)) or (guest is not None and not can_reach(guest, folder)):
        temporary = Path(tempfile.gettempdir())
        if not (
            can_reach(location.account, temporary) and has_permission(location.account, temporary, enter=True)
        ):
            temporary = Path("/tmp")  # noqa: S108  (the folder in it is private, and checked to be)
        folder = temporary / f"steward-{digest(location.folder)}"
    ensure_folder_for(folder, location.account, guest)
    return folder


def _location_file(data_dir: Path) -> Path:
    return data_dir / "postgres.location"


def _folder_outside(data_dir: Path) -> Path:
    """A free place. One whose data directory was deleted is kept: it may be someone's only copy."""
    resolved = data_dir.resolve()
    readable = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(resolved.parts[-2:]))[-30:].strip("-")
    folder = SYSTEM_FOLDER / "clusters" / f"{readable}-{digest(resolved)}"
    candidates = (folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, 100)))
    for candidate in candidates:
        if not (candidate / "cluster").exists():
            return candidate
    raise UpError(f"{folder} and 98 more like it hold databases of deleted data directories: remove some")
