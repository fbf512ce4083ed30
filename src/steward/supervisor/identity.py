"""Which account each part of a deployment runs as."""

from steward.settings import Settings
from steward.supervisor.account import SystemAccount, unprivileged_account, wanted_account
from steward.supervisor.cluster import find_home
from steward.supervisor.errors import UpError


def server_account(settings: Settings) -> SystemAccount:
    """Who owns an embedded cluster that is made now. PostgreSQL refuses root, whoever wants it."""
    wanted = wanted_account(settings.run_as)
    return unprivileged_account() if wanted.is_root else wanted


def serving_account(settings: Settings) -> SystemAccount:
    """Who answers requests and delivers: over an embedded database its owner, whom alone its socket lets in."""
    wanted = wanted_account(settings.run_as)
    home = find_home(settings.data_dir) if settings.database_url is None else None
    if home is None or wanted.is_root or home.account.uid == wanted.uid:
        return wanted
    if settings.run_as is not None:
        raise UpError(
            f"STEWARD_RUN_AS names {settings.run_as}, but the database in {home.folder} belongs to "
            f"{home.account.name}: name that one, or give the database away (chown -R {settings.run_as} {home.cluster})"
        )
    return home.account
