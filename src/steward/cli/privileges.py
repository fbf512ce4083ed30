"""What the serving commands do between their start and their work: take what only root can, then give root up."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from steward.kit.runtime.log import log
from steward.kit.runtime.metrics_server import SHARED_DIRECTORY
from steward.settings import Settings
from steward.supervisor.account import SystemAccount
from steward.supervisor.doors import Doors
from steward.supervisor.identity import serving_account
from steward.supervisor.privileges import become, raise_open_files

# What Python itself imports at first use: names of hosts, and times that are read.
_LATE = ("encodings.idna", "_strptime")


def give_up_root(settings: Settings, load: Callable[[], None] = lambda: None) -> None:
    """After this the process is an account that can do nothing else. Does nothing where it isn't root's.

    `load` brings into memory what the process may need later; it is called where the account can't read our code by its path.
    """
    raise_open_files()
    account = serving_account(settings)
    if account.is_current:
        return
    doors = Doors(account)
    if doors.are_needed:
        for module in _LATE:
            import_module(module)
        load()
    _give_figures_to(account)
    become(account)
    for path in doors.use():
        log.warning(
            "what is not loaded yet can't be: install Steward where its account may read it",
            account=account.name,
            unreadable=str(path),
        )


def _give_figures_to(account: SystemAccount) -> None:
    """The files with our figures were begun as root; the process that shows them is the account's."""
    folder = os.environ.get(SHARED_DIRECTORY)
    if folder is not None:
        for file in Path(folder).glob(f"*_{os.getpid()}.db"):
            os.chown(file, account.uid, account.gid, follow_symlinks=False)
