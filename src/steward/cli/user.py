"""What the operator does for a person who can't get in."""

from typing import IO

import click

from steward.cli.base import with_settings
from steward.cli.checks import checked
from steward.cli.passwords import password_file_option, read_password
from steward.cli.with_database import with_database
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.settings import Settings
from steward.users.accounts import actions as accounts
from steward.users.model import UserChanges


@click.group()
def user() -> None:
    """Help people who can't log in."""


@user.command("set-password")
@click.argument("organization")
@click.argument("email")
@password_file_option("--password-file", "the password")
@click.option("--password", help="The password itself, which other users of the machine can see.")
@with_settings
def set_password(
    settings: Settings, organization: str, email: str, password_file: IO[str] | None, password: str | None
) -> None:
    """Set the password of the user whom ORGANIZATION knows by EMAIL. Ends all sessions and tokens of the account."""
    given = read_password(password_file, password, option="--password")
    chosen = str(checked(UserChanges, {"password": "the password"}, password=given).password)
    tenant = TenantId(organization)
    account = with_database(
        settings,
        lambda db: accounts.reset_password(db.bus, db.pool, tenant, email, chosen, now=clock.now()),
    )
    click.echo(f"the password of {email} is set; the login is {account.email}")
