"""What the operator does for a person who can't get in."""

from pathlib import Path

import click

from steward.cli.base import location_options, read_settings
from steward.cli.errors import OperatorError
from steward.cli.with_database import with_database
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import InvalidationBus
from steward.kit.security.caller import TenantId
from steward.users.accounts import actions as accounts

_MIN_PASSWORD_LENGTH = 8


@click.group()
def user() -> None:
    """Help people who can't log in."""


@user.command("set-password")
@click.argument("organization")
@click.argument("email")
@click.option(
    "--password",
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="Asked for when it isn't given.",
)
@location_options
def set_password(
    *, organization: str, email: str, password: str, data_dir: Path | None, database_url: str | None
) -> None:
    """Set the password of the user whom ORGANIZATION knows by EMAIL. Ends all sessions and tokens of the account."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    if len(password) < _MIN_PASSWORD_LENGTH:
        raise OperatorError(f"a password has at least {_MIN_PASSWORD_LENGTH} characters")

    async def work(pool: Pool, bus: InvalidationBus) -> str:
        account = await accounts.reset_password(
            bus, pool, TenantId(organization), email, password, now=clock.now()
        )
        return account.email

    login = with_database(settings, work)
    click.echo(f"the password of {email} is set; the login is {login}")
