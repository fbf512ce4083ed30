"""A process that root started becomes an account that can do nothing else, for good."""

import os
import pwd
import resource
from pathlib import Path

from steward.supervisor.errors import UpError
from steward.supervisor.system_account import SystemAccount

_OPEN_FILES = 65_536


def raise_open_file_limit() -> None:
    """As many connections as the system allows us; root may allow itself more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    wanted = _OPEN_FILES if hard == unlimited else min(hard, _OPEN_FILES)
    if os.geteuid() == 0 and hard != unlimited:
        wanted, hard = _OPEN_FILES, max(hard, _OPEN_FILES)
    if soft != unlimited and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (ValueError, OSError):
            # A root without the capability, or a kernel with a lower ceiling: what is allowed must do.
            hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


def switch_account(account: SystemAccount) -> None:
    """Real, effective and saved identity, without supplementary groups: there is no way back."""
    try:
        os.setgroups([])
        os.setresgid(account.gid, account.gid, account.gid)
        os.setresuid(account.uid, account.uid, account.uid)
    except OSError as error:
        raise UpError(
            f"can't become {account.name}: {error.strerror}; STEWARD_RUN_AS=root goes on as root"
        ) from error
    if os.getresuid() != (account.uid,) * 3 or os.getresgid() != (account.gid,) * 3 or os.getgroups():
        raise UpError(f"the system kept us from becoming {account.name}; STEWARD_RUN_AS=root goes on as root")
    # Libraries look into the home folder (the database driver for passwords), and fail where it is root's.
    os.environ["HOME"] = _home_of(account)
    os.chdir("/")


def _home_of(account: SystemAccount) -> str:
    """Asked as the account itself, which may not be able to enter what is written of it."""
    try:
        home = pwd.getpwuid(account.uid).pw_dir
        Path(home).stat()
    except (KeyError, OSError):
        return "/"
    return home
