"""Which account each part of a deployment runs as.

What talks to strangers owns nothing: beside an embedded database, API and worker run as another account than the owner of its files.
"""

import os

from steward.settings import Settings
from steward.supervisor.cluster import find_location
from steward.supervisor.errors import UpError
from steward.supervisor.system_account import (
    SystemAccount,
    configured_account,
    unnamed_account,
    unprivileged_account,
)


def database_account(settings: Settings) -> SystemAccount:
    """The owner of a new embedded cluster. PostgreSQL refuses to run as root."""
    wanted = configured_account(settings.run_as)
    if os.geteuid() != 0:
        return wanted
    return unprivileged_account(besides=None if settings.run_as is None else wanted)


def guest_account(settings: Settings) -> SystemAccount | None:
    """The account that connects to an embedded database without owning its files: that of API and worker, where root starts them.

    None where the socket needs no other account: without root there is only one, and root may connect anyway.
    """
    if os.geteuid() != 0 or settings.database_url is not None:
        return None
    if settings.run_as is None:
        return unnamed_account()
    wanted = configured_account(settings.run_as)
    return None if wanted.is_root else wanted


def service_account(settings: Settings) -> SystemAccount:
    """Who answers requests and delivers."""
    wanted = configured_account(settings.run_as)
    guest = guest_account(settings)
    if guest is not None:
        return guest
    location = find_location(settings.data_dir) if settings.database_url is None else None
    if location is None or wanted.is_root or location.account.uid == wanted.uid:
        return wanted
    if settings.run_as is not None:
        raise UpError(
            f"STEWARD_RUN_AS names {settings.run_as}, but the database in {location.folder} belongs to "
            f"{location.account.name}: start Steward as that one, or as root"
        )
    return location.account
