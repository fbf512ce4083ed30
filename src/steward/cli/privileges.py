"""What the serving commands do between their start and their work: take what only root can, then give root up."""

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from steward.kit.runtime.log import log
from steward.kit.runtime.metrics_server import SHARED_DIRECTORY
from steward.settings import Settings
from steward.supervisor.code_access import CodeAccess
from steward.supervisor.privileges import raise_open_file_limit, switch_account
from steward.supervisor.run_as import service_account
from steward.supervisor.system_account import SystemAccount

# What Python itself imports at first use: names of hosts, and times that are read.
_LAZY_IMPORTS = ("encodings.idna", "_strptime")


def drop_root(settings: Settings, load: Callable[[], None] = lambda: None) -> None:
    """After this the process is an account that can do nothing else. Does nothing where it isn't root's.

    `load` brings into memory what the process may need later; it is called where the account can't read our code by its path.
    """
    raise_open_file_limit()
    account = service_account(settings)
    if account.is_current:
        return
    code_access = CodeAccess(account)
    if code_access.is_needed:
        for module in _LAZY_IMPORTS:
            import_module(module)
        load()
    _chown_metrics_files(account)
    switch_account(account)
    for path in code_access.apply():
        log.warning(
            "what is not loaded yet can't be: install Steward where its account may read it",
            account=account.name,
            unreadable=str(path),
        )


def _chown_metrics_files(account: SystemAccount) -> None:
    """The files with our figures were begun as root; the process that shows them is the account's."""
    folder = os.environ.get(SHARED_DIRECTORY)
    if folder is not None:
        for file in Path(folder).glob(f"*_{os.getpid()}.db"):
            os.chown(file, account.uid, account.gid, follow_symlinks=False)
