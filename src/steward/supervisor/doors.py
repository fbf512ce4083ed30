"""Keeps code readable for a process that gives up root.

A checkout or a Python in root's home can't be reached by another account, though most often all may read what lies in it:
only the way there is closed. Python imports some modules when they are first needed, so losing the way would break requests
long after the start. A folder that is held open stays reachable as `/proc/self/fd/N`, without the way.
"""

import os
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from steward.supervisor.account import SystemAccount, may, may_reach


class Door(NamedTuple):
    path: Path
    descriptor: int

    @property
    def alias(self) -> str:
        return f"/proc/self/fd/{self.descriptor}"

    @property
    def is_passable(self) -> bool:
        """Asked as the account: whether what lies behind may be read."""
        return os.access(self.alias, os.R_OK | (os.X_OK if Path(self.alias).is_dir() else 0))


class Doors:
    """Made as root, used as the account."""

    def __init__(self, account: SystemAccount) -> None:
        self._folders = [_open(folder) for folder in _code_folders() if not _is_readable(account, folder)]
        paths = ssl.get_default_verify_paths()
        authorities = {paths.openssl_cafile_env: paths.cafile, paths.openssl_capath_env: paths.capath}
        self._authorities = {
            variable: _open(Path(path))
            for variable, path in authorities.items()
            if path is not None and not _is_readable(account, Path(path))
        }

    @property
    def are_needed(self) -> bool:
        return bool(self._folders or self._authorities)

    def use(self) -> list[Path]:
        """Lets imports and certificates go through the doors; returns what stays out of reach."""
        for door in self._folders:
            if door.is_passable:
                _alias_imports(door)
        for variable, door in self._authorities.items():
            if door.is_passable:
                os.environ[variable] = door.alias
        return [door.path for door in (*self._folders, *self._authorities.values()) if not door.is_passable]


def _open(path: Path) -> Door:
    # Neither to read nor to list: only to begin a path at.
    return Door(path, os.open(path, os.O_PATH | os.O_CLOEXEC))


def _code_folders() -> Iterator[Path]:
    """Of the places that modules may come from, those that some came from."""
    files = [str(getattr(module, "__file__", None) or "") for module in tuple(sys.modules.values())]
    for entry in sys.path:
        if entry and Path(entry).is_dir() and any(file.startswith(f"{entry}/") for file in files):
            yield Path(entry)


def _is_readable(account: SystemAccount, path: Path) -> bool:
    return may_reach(account, path) and may(account, path, read=True, enter=path.is_dir())


def _alias_imports(door: Door) -> None:
    """After the path itself, which finds nothing any more; for packages too, which look for their parts by themselves."""
    sys.path.append(door.alias)
    for module in tuple(sys.modules.values()):
        places = getattr(module, "__path__", None)
        if isinstance(places, list):
            places += [
                f"{door.alias}{place[len(str(door.path)) :]}"
                for place in places
                if str(place).startswith(f"{door.path}/")
            ]
