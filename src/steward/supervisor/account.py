"""Whom PostgreSQL runs as: it refuses root, so root lends it an account that can do nothing else."""

import os
import pwd
import stat
from pathlib import Path
from typing import NamedTuple, Self

from steward.supervisor.errors import UpError

PREFERRED_ACCOUNTS = ("steward", "postgres", "nobody")


class Account(NamedTuple):
    """An identity without supplementary groups, which is how we start every process of PostgreSQL."""

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
    def is_current(self) -> bool:
        return self.uid == os.geteuid()


def unprivileged_account() -> Account:
    """Who runs a new cluster: ourselves, or for root the first of the accounts that exist."""
    if os.geteuid() != 0:
        return Account.current()
    for name in PREFERRED_ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise UpError(
        "PostgreSQL can't run as root, and none of the accounts "
        f"{', '.join(PREFERRED_ACCOUNTS)} exists: create one, or start Steward as another user"
    )


def may(account: Account, path: Path, *, read: bool = False, enter: bool = False) -> bool:
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


def may_reach(account: Account, path: Path) -> bool:
    """Whether every folder above `path` lets the account through."""
    return all(may(account, parent, enter=True) for parent in path.resolve().parents)
