"""Whom PostgreSQL, the API and the worker run as: root lends them an account that can do nothing else."""

import grp
import os
import pwd
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from steward.supervisor.errors import UpError

PREFERRED_ACCOUNTS = ("steward", "postgres", "nobody")
# For API and worker: no name is needed to own nothing, and one that others use, as `nobody`, would share what it is let into. These
# numbers are given out neither by Debian (policy 9.2.2) nor by systemd (UIDS-GIDS).
_UNNAMED_IDS = range(60_900, 60_920)
_ID_MAPS = (Path("/proc/self/uid_map"), Path("/proc/self/gid_map"))


class SystemAccount(NamedTuple):
    """An identity without supplementary groups, which is how every process of ours runs."""

    uid: int
    gid: int

    @classmethod
    def current(cls) -> Self:
        return cls(os.geteuid(), os.getegid())

    @classmethod
    def owner_of(cls, path: Path) -> Self:
        found = path.stat()
        return cls(found.st_uid, found.st_gid)

    @property
    def name(self) -> str:
        try:
            return pwd.getpwuid(self.uid).pw_name
        except KeyError:
            return f"uid {self.uid}"

    @property
    def uid_gid(self) -> str:
        """As `parse_account` reads it; a name may be missing, or mean another group."""
        return f"{self.uid}:{self.gid}"

    @property
    def is_current(self) -> bool:
        return self.uid == os.geteuid()

    @property
    def is_root(self) -> bool:
        return self.uid == 0


def parse_account(written: str) -> SystemAccount:
    """`steward`, or `1000:1000` for one without a name."""
    if re.fullmatch(r"[0-9]{1,9}:[0-9]{1,9}", written):
        uid, gid = written.split(":")
        return SystemAccount(int(uid), int(gid))
    try:
        entry = pwd.getpwnam(written)
    except KeyError:
        raise UpError(f"STEWARD_RUN_AS names {written}, but there is no such account") from None
    return SystemAccount(entry.pw_uid, entry.pw_gid)


def configured_account(run_as: str | None) -> SystemAccount:
    """The account that the operator chose for the service; root only if named."""
    if run_as is None:
        return unprivileged_account()
    account = parse_account(run_as)
    if os.geteuid() != 0 and not account.is_current:
        raise UpError(f"STEWARD_RUN_AS names {run_as}, but only root can run as another account")
    return account


def unnamed_account() -> SystemAccount | None:
    """An unused one; None if this namespace has none."""
    users, groups = ({entry.pw_uid for entry in pwd.getpwall()}, {entry.gr_gid for entry in grp.getgrall()})
    for number in _UNNAMED_IDS:
        if number not in users | groups and all(_is_mapped(number, path) for path in _ID_MAPS):
            return SystemAccount(number, number)
    return None


def _is_mapped(number: int, id_map: Path) -> bool:
    """Whether a container without all identifiers has this one; systems without the file have them all."""
    try:
        lines = id_map.read_text().splitlines()
    except OSError:
        return True
    spans = [[int(word) for word in line.split()] for line in lines]
    return any(first <= number < first + count for first, _, count in spans)


def unprivileged_account(
    preferred: Sequence[str] = PREFERRED_ACCOUNTS, *, besides: SystemAccount | None = None
) -> SystemAccount:
    """Ourselves, or for root the first of the accounts that exist and aren't `besides`, unless there is no other."""
    if os.geteuid() != 0:
        return SystemAccount.current()
    for name in preferred:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if besides is None or besides.uid != entry.pw_uid:
            return SystemAccount(entry.pw_uid, entry.pw_gid)
    if besides is not None and not besides.is_root:
        return besides
    raise UpError(
        f"Steward doesn't run as root, and none of the accounts {', '.join(preferred)} exists: create one "
        "(useradd --system steward), name another by STEWARD_RUN_AS, or start Steward as another user"
    )


def has_permission(account: SystemAccount, path: Path, *, read: bool = False, enter: bool = False) -> bool:
    """Whether the mode bits of `path` itself (not of its parents) grant this."""
    found = path.stat()
    if found.st_uid == account.uid:
        shift = 6
    elif found.st_gid == account.gid:
        shift = 3
    else:
        shift = 0
    wanted = (stat.S_IROTH if read else 0) | (stat.S_IXOTH if enter else 0)
    return (found.st_mode >> shift) & wanted == wanted


def can_reach(account: SystemAccount, path: Path) -> bool:
    """Whether every folder above `path` lets the account through."""
    return all(has_permission(account, parent, enter=True) for parent in path.resolve().parents)
