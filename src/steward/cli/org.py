"""What the operator decides about organizations. Works beside a running server."""

from functools import partial
from typing import IO

import click
import msgspec

from steward.access.model import CreatedOrganization
from steward.access.organization_setup import create_organization
from steward.cli.base import with_settings
from steward.cli.checks import checked
from steward.cli.leaving import delete, export
from steward.cli.passwords import password_file_option, read_password
from steward.cli.with_database import OpenedDatabase, with_database
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.organizations import actions, queries
from steward.organizations.model import OrganizationChanges, Plan
from steward.settings import Settings
from steward.users.accounts import queries as accounts
from steward.users.accounts.actions import hash_password_for
from steward.users.model import NewUser, UserChanges
from steward.wiring.organization_defaults import install_organization_defaults

_CALLED = {"email": "--admin-email", "password": "the password"}
_LONGEST_NAME = 200
_PLANS = click.Choice([plan.value for plan in Plan])


@click.group()
def org() -> None:
    """Create organizations, set their plans, and let them go."""


org.add_command(export)
org.add_command(delete)


@org.command()
@click.argument("name")
@click.option("--plan", type=_PLANS, default=Plan.ENTERPRISE.value, show_default=True)
@click.option(
    "--admin-email",
    required=True,
    help="The first administrator. Gets an account of this organization's own, also where the e-mail address has one elsewhere.",
)
@password_file_option("--admin-password-file", "the administrator's password")
@click.option(
    "--admin-password", help="The administrator's password itself, which other users of the machine can see."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@with_settings
def create(
    settings: Settings,
    *,
    name: str,
    plan: str,
    admin_email: str,
    admin_password_file: IO[str] | None,
    admin_password: str | None,
    as_json: bool,
) -> None:
    """Create an organization with a first administrator and an API key."""
    house = checked(OrganizationChanges, {"name": "the name"}, name=name)
    # Before asking for the password, so that other errors come first.
    checked(UserChanges, _CALLED, email=admin_email)
    password = read_password(admin_password_file, admin_password, option="--admin-password")
    admin = checked(NewUser, _CALLED, email=admin_email, name=admin_email[:_LONGEST_NAME], password=password)
    founding = partial(_found, name=str(house.name), plan=Plan(plan), admin=admin)
    created, elsewhere = with_database(settings, founding, makes=True)
    if elsewhere:
        click.echo(
            f"{admin.email} has an account already, which stays as it is; this organization has one of its own for it, "
            "with the password that was given now",
            err=True,
        )
    _show_created(created, admin.email, as_json=as_json)


async def _found(
    db: OpenedDatabase, *, name: str, plan: Plan, admin: NewUser
) -> tuple[CreatedOrganization, bool]:
    """Also tells whether the administrator's e-mail address has an account elsewhere."""
    elsewhere = bool(await accounts.find_by_email(db.pool, admin.email))
    created = await create_organization(
        db.pool,
        db.bus,
        name=name,
        plan=plan,
        email=admin.email,
        password_hash=await hash_password_for(db.pool, admin.email, admin.password),
        person=admin.name,
        install_defaults=install_organization_defaults,
        now=clock.now(),
    )
    return created, elsewhere


def _show_created(created: CreatedOrganization, email: str, *, as_json: bool) -> None:
    if as_json:
        click.echo(
            msgspec.json.encode(
                {
                    "organizationId": created.organization_id,
                    "userId": created.user_id,
                    "apiKey": {"keyId": created.key_id, "secret": created.secret},
                }
            )
        )
        return
    click.echo(f"organization  {created.organization_id}")
    click.echo(f"administrator {email} ({created.user_id})")
    click.echo(f"API key       {created.secret}  (shown once)")


@org.command("set-plan")
@click.argument("organization")
@click.argument("plan", type=_PLANS)
@with_settings
def set_plan(settings: Settings, organization: str, plan: str) -> None:
    """Change an organization's plan. Acts at once on every process."""
    tenant, chosen = TenantId(organization), Plan(plan)
    with_database(settings, lambda db: actions.set_plan(db.pool, db.bus, tenant, chosen, now=clock.now()))
    click.echo(f"{organization} is now on the {plan} plan")


@org.command("list")
@with_settings
def list_organizations(settings: Settings) -> None:
    """List all organizations."""
    for organization in with_database(settings, lambda db: queries.every(db.pool)):
        click.echo(f"{organization.id}  {organization.plan:<12}  {organization.name}")
