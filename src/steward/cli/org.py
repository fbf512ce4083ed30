"""What the operator decides about organizations. Works beside a running server."""

from pathlib import Path
from typing import Any

import click
import msgspec

from steward.access.founding import Founded, found_organization
from steward.cli.base import location_options, read_settings
from steward.cli.beside import with_database
from steward.kit.bus import Bus
from steward.kit.caller import TenantId
from steward.kit.db import Pool
from steward.kit.passwords import hash_password
from steward.organizations import actions, queries
from steward.organizations.model import Plan
from steward.users.account_queries import salt_of
from steward.wiring.furnishing import furnish_organization

_PLANS = click.Choice([plan.value for plan in Plan])


@click.group()
def org() -> None:
    """Create organizations and set their plans."""


@org.command()
@click.argument("name")
@click.option("--plan", type=_PLANS, default=Plan.ENTERPRISE.value, show_default=True)
@click.option("--admin-email", required=True, help="The first administrator.")
@click.option(
    "--admin-password",
    required=True,
    help="The administrator's password.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@location_options
def create(
    *,
    name: str,
    plan: str,
    admin_email: str,
    admin_password: str,
    as_json: bool,
    data_dir: Path | None,
    database_url: str | None,
) -> None:
    """Create an organization with a first administrator and an API key."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)

    async def work(pool: Pool, bus: Bus) -> Founded:
        return await found_organization(
            pool,
            bus,
            name=name,
            plan=Plan(plan),
            email=admin_email,
            password_hash=await hash_password(admin_password, await salt_of(pool, admin_email)),
            furnish=furnish_organization,
        )

    founded = with_database(settings, work)
    if as_json:
        click.echo(
            msgspec.json.encode(
                {
                    "organizationId": founded.organization_id,
                    "userId": founded.user_id,
                    "apiKey": {"keyId": founded.key_id, "secret": founded.secret},
                }
            )
        )
        return
    click.echo(f"organization  {founded.organization_id}")
    click.echo(f"administrator {admin_email} ({founded.user_id})")
    click.echo(f"API key       {founded.secret}  (shown once)")


@org.command("set-plan")
@click.argument("organization")
@click.argument("plan", type=_PLANS)
@location_options
def set_plan(organization: str, plan: str, data_dir: Path | None, database_url: str | None) -> None:
    """Change an organization's plan. Acts at once on every process."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)

    async def work(pool: Pool, bus: Bus) -> None:
        await actions.set_plan(pool, bus, TenantId(organization), Plan(plan))

    with_database(settings, work)
    click.echo(f"{organization} is now on the {plan} plan")


@org.command("list")
@location_options
def list_organizations(data_dir: Path | None, database_url: str | None) -> None:
    """List all organizations."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)

    async def work(pool: Pool, _bus: Bus) -> list[Any]:
        return await queries.every(pool)

    for organization in with_database(settings, work):
        click.echo(f"{organization.id}  {organization.plan:<12}  {organization.name}")
