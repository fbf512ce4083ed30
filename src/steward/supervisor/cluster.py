"""Where a data directory's cluster lives, and how it comes to be: whole, or not at all."""

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from steward.supervisor.account import SystemAccount, may, may_reach
from steward.supervisor.binaries import MAJOR_VERSION, SYSTEM_FOLDER
from steward.supervisor.errors import UpError
from steward.supervisor.folders import ensure_folder, ensure_private_folder, sync_folder, write_durably
from steward.supervisor.programs import Programs
from steward.supervisor.server_log import ServerLog

ROLE = DATABASE = "steward"
_UNFINISHED = "unfinished-"
# What every part (PostgreSQL, drivers, URLs) takes literally; "," for one would separate two socket folders.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9/._ +-]{1,89}")  # 103 bytes, the shortest limit, less "/.s.PGSQL.5432"


class Home(NamedTuple):
    """The folder around one cluster, and the account that runs its server.

    The folder stays ours: were it the account's, a link in place of the log could have root write anywhere.
    """

    folder: Path
    account: SystemAccount

    @property
    def cluster(self) -> Path:
        return self.folder / "cluster"

    @property
    def log(self) -> ServerLog:
        return ServerLog(self.folder / "postgres.log")


def find_home(data_dir: Path) -> Home | None:
    """The home of the cluster that this data directory already has."""
    folder = _recorded_folder(data_dir) or data_dir.resolve() / "postgres"
    home = Home(folder, SystemAccount.current())
    if home.cluster.is_dir():
        # Its files belong to whoever made it, whichever account we would choose today.
        return home._replace(account=SystemAccount.owner_of(home.cluster))
    if _location_file(data_dir).exists():
        raise UpError(
            f"the database at {folder}, recorded in {_location_file(data_dir)}, is gone: bring it back, "
            f"or delete {_location_file(data_dir)} to begin with an empty one"
        )
    return None


def choose_home(data_dir: Path, account: SystemAccount) -> Home:
    """Where a new cluster goes: into the data directory, or beside it where the account can't enter that."""
    inside = data_dir.resolve() / "postgres"
    if account.is_current:
        ensure_folder(inside, 0o700)
        return Home(inside, account)
    if may_reach(account, inside):
        ensure_folder(inside, 0o711)
        return Home(inside, account)
    outside = _folder_outside(data_dir)
    ensure_folder(SYSTEM_FOLDER, 0o755)
    ensure_folder(outside.parent, 0o711)
    if not may_reach(account, outside):
        raise UpError(f"the account {account.name} can't enter {outside.parent}, where its database would be")
    ensure_folder(outside, 0o711)
    return Home(outside, account)


def create_cluster(home: Home, programs: Programs) -> None:
    """Makes the cluster with its database under another name first, so that a kill leaves none half-made."""
    _remove_unfinished(home)
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=home.folder))
    try:
        ensure_private_folder(unfinished, home.account)
        _initialise(unfinished, programs)
        # Single-user mode needs no server; nothing is synced until the end, so nothing waits for the disk twice.
        statement = f"CREATE DATABASE {DATABASE} STRATEGY file_copy;\n"
        programs.run("postgres", ["--single", "-F", "-D", str(unfinished), "template1"], typed=statement)
        programs.run("initdb", ["--sync-only", "-D", str(unfinished)])
        unfinished.rename(home.cluster)
        sync_folder(home.folder)
    finally:
        # A second time also for what others left: programs of one that was killed may have written on for a moment.
        _remove_unfinished(home)


def _remove_unfinished(home: Home) -> None:
    for folder in home.folder.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _initialise(folder: Path, programs: Programs) -> None:
    options = ["--username", ROLE, "--encoding", "UTF8", "--auth-local", "trust", "--auth-host", "reject"]
    options += ["--data-checksums", "--no-sync", "--no-instructions", "-D", str(folder)]
    try:
        programs.run("initdb", ["--locale", "C.UTF-8", *options])
    except UpError:
        # Some system has no such locale; `C` knows no upper and lower case beyond ASCII, but is everywhere.
        programs.run("initdb", ["--locale", "C", *options])


def record_home(data_dir: Path, home: Home) -> None:
    """Notes a place outside the data directory in it. One inside needs no note and may be moved along."""
    if home.folder.parent != data_dir.resolve():
        write_durably(_location_file(data_dir), f"{home.folder}\n", mode=0o644)


def check_version(home: Home) -> None:
    found = (home.cluster / "PG_VERSION").read_text().strip()
    if found != MAJOR_VERSION:
        raise UpError(
            f"the database in {home.cluster} was made by PostgreSQL {found}, but this Steward carries "
            f"PostgreSQL {MAJOR_VERSION}: move it with pg_dump and pg_restore"
        )


def socket_folder(home: Home) -> Path:
    """The private folder of the server's socket: in its home, or under a short name where that path is too long."""
    folder = home.folder / "socket"
    if not _PLAIN_PATH.fullmatch(str(folder)):
        temporary = Path(tempfile.gettempdir())
        if not (may_reach(home.account, temporary) and may(home.account, temporary, enter=True)):
            temporary = Path("/tmp")  # noqa: S108  (the folder in it is private, and checked to be)
        folder = temporary / f"steward-{_digest(home.folder)}"
    ensure_private_folder(folder, home.account)
    return folder


def _location_file(data_dir: Path) -> Path:
    return data_dir / "postgres.location"


def _recorded_folder(data_dir: Path) -> Path | None:
    try:
        return Path(_location_file(data_dir).read_text().strip())
    except FileNotFoundError:
        return None


def _folder_outside(data_dir: Path) -> Path:
    """A free place. One whose data directory was deleted is kept: it may be someone's only copy."""
    resolved = data_dir.resolve()
    readable = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(resolved.parts[-2:]))[-30:].strip("-")
    folder = SYSTEM_FOLDER / "clusters" / f"{readable}-{_digest(resolved)}"
    candidates = (folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, 100)))
    for candidate in candidates:
        if not (candidate / "cluster").exists():
            return candidate
    raise UpError(f"{folder} and 98 more like it hold databases of deleted data directories: remove some")


def _digest(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
