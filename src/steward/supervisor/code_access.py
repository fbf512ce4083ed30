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

from steward.supervisor.system_account import SystemAccount, can_reach, has_permission


class HeldPath(NamedTuple):
    path: Path
    descriptor: int

    @property
    def alias(self) -> str:
        return f"/proc/self/fd/{self.descriptor}"

    @property
    def is_readable(self) -> bool:
        """Asked as the account: whether what lies behind may be read."""
        return os.access(self.alias, os.R_OK | (os.X_OK if Path(self.alias).is_dir() else 0))


class CodeAccess:
    """Made as root, used as the account."""

    def __init__(self, account: SystemAccount) -> None:
        self._code = [_open(folder) for folder in _code_folders() if not _is_readable(account, folder)]
        paths = ssl.get_default_verify_paths()
        certificates = {paths.openssl_cafile_env: paths.cafile, paths.openssl_capath_env: paths.capath}
        self._certificates = {
            variable: _open(Path(path))
            for variable, path in certificates.items()
            if path is not None and not _is_readable(account, Path(path))
        }

    @property
    def is_needed(self) -> bool:
        return bool(self._code or self._certificates)

    def apply(self) -> list[Path]:
        """Lets imports and certificates go through the doors; returns what stays out of reach."""
        for held in self._code:
            if held.is_readable:
                _alias_imports(held)
        for variable, held in self._certificates.items():
            if held.is_readable:
                os.environ[variable] = held.alias
        return [held.path for held in (*self._code, *self._certificates.values()) if not held.is_readable]


def _open(path: Path) -> HeldPath:
    # Neither to read nor to list: only to begin a path at.
    return HeldPath(path, os.open(path, os.O_PATH | os.O_CLOEXEC))


def _code_folders() -> Iterator[Path]:
    """Of the places that modules may come from, those that some came from."""
    files = [str(getattr(module, "__file__", None) or "") for module in tuple(sys.modules.values())]
    for entry in sys.path:
        if entry and Path(entry).is_dir() and any(file.startswith(f"{entry}/") for file in files):
            yield Path(entry)


def _is_readable(account: SystemAccount, path: Path) -> bool:
    return can_reach(account, path) and has_permission(account, path, read=True, enter=path.is_dir())


def _alias_imports(held: HeldPath) -> None:
    """After the path itself, which finds nothing any more; for packages too, which look for their parts by themselves."""
    sys.path.append(held.alias)
    for module in tuple(sys.modules.values()):
        places = getattr(module, "__path__", None)
        if isinstance(places, list):
            places += [
                f"{held.alias}{place[len(str(held.path)) :]}"
                for place in places
                if str(place).startswith(f"{held.path}/")
            ]
