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
from steward.kit.security.passwords import hash_password
from steward.users import queries
from steward.users.accounts import actions as accounts
from steward.users.accounts import queries as account_queries

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
        tenant = TenantId(organization)
        user_id = await queries.find(pool, tenant, email)
        found = None if user_id is None else await account_queries.behind(pool, tenant, user_id)
        if found is None:
            raise OperatorError(f"{organization} has no user {email}")
        account = found[0]
        password_hash = await hash_password(password, await account_queries.salt_of(pool, account.email))
        async with pool.transaction() as tx:
            await accounts.set_password(tx, bus, account.id, password_hash, clock.now(), own=False)
        return account.email

    login = with_database(settings, work)
    click.echo(f"the password of {email} is set; the login is {login}")
