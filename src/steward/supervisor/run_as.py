"""Which account each part of a deployment runs as."""

from steward.settings import Settings
from steward.supervisor.cluster import find_location
from steward.supervisor.errors import UpError
from steward.supervisor.system_account import SystemAccount, configured_account, unprivileged_account


def database_account(settings: Settings) -> SystemAccount:
    """Who owns an embedded cluster that is made now. PostgreSQL refuses root, whoever wants it."""
    wanted = configured_account(settings.run_as)
    return unprivileged_account() if wanted.is_root else wanted


def service_account(settings: Settings) -> SystemAccount:
    """Who answers requests and delivers: over an embedded database its owner, whom alone its socket lets in."""
    wanted = configured_account(settings.run_as)
    location = find_location(settings.data_dir) if settings.database_url is None else None
    if location is None or wanted.is_root or location.account.uid == wanted.uid:
        return wanted
    if settings.run_as is not None:
        raise UpError(
            f"STEWARD_RUN_AS names {settings.run_as}, but the database in {location.folder} belongs to "
            f"{location.account.name}: name that one, or give the database away (chown -R {settings.run_as} {location.cluster})"
        )
    return location.account
