"""What the operator does for a person who can't get in."""

import sys
from pathlib import Path
from typing import IO

import click
import msgspec

from steward.cli.base import location_options, read_settings
from steward.cli.errors import OperatorError
from steward.cli.with_database import with_database
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import InvalidationBus
from steward.kit.security.caller import TenantId
from steward.users.accounts import actions as accounts
from steward.users.model import Password


@click.group()
def user() -> None:
    """Help people who can't log in."""


@user.command("set-password")
@click.argument("organization")
@click.argument("email")
@click.option(
    "--password-file",
    type=click.File(encoding="utf-8"),
    help="Its first line is the password; - reads standard input. Otherwise it is asked for on the terminal.",
)
@click.option("--password", help="The password itself, which other users of the machine can see.")
@location_options
def set_password(
    *,
    organization: str,
    email: str,
    password_file: IO[str] | None,
    password: str | None,
    data_dir: Path | None,
    database_url: str | None,
) -> None:
    """Set the password of the user whom ORGANIZATION knows by EMAIL. Ends all sessions and tokens of the account."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)
    chosen = _checked(_read_password(password_file, password))

    async def work(pool: Pool, bus: InvalidationBus) -> str:
        account = await accounts.reset_password(
            bus, pool, TenantId(organization), email, chosen, now=clock.now()
        )
        return account.email

    login = with_database(settings, work)
    click.echo(f"the password of {email} is set; the login is {login}")


def _read_password(file: IO[str] | None, given: str | None) -> str:
    if file is not None and given is not None:
        raise OperatorError("give --password-file or --password, not both")
    if file is not None:
        try:
            return file.readline().rstrip("\r\n")
        except UnicodeDecodeError:
            raise OperatorError("the password file is not UTF-8") from None
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise OperatorError(
            "there is no terminal to ask on: give --password-file FILE, or - for standard input"
        )
    return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))


def _checked(password: str) -> str:
    """What the login form takes, or nobody could log in with it."""
    try:
        return msgspec.convert(password, Password)
    except msgspec.ValidationError:
        raise OperatorError("a password has 8 to 200 characters") from None
