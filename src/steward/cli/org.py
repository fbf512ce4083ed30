"""What the operator decides about organizations. Works beside a running server."""

from pathlib import Path
from typing import Any

import click
import msgspec

from steward.access.model import CreatedOrganization
from steward.access.organization_setup import create_organization
from steward.cli.base import location_options, read_settings
from steward.cli.with_database import with_database
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock
from steward.kit.runtime.cache_invalidation import InvalidationBus
from steward.kit.security.caller import TenantId
from steward.organizations import actions, queries
from steward.organizations.model import Plan
from steward.users.accounts.actions import hash_password_for
from steward.wiring.organization_defaults import install_organization_defaults

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

    async def work(pool: Pool, bus: InvalidationBus) -> CreatedOrganization:
        return await create_organization(
            pool,
            bus,
            name=name,
            plan=Plan(plan),
            email=admin_email,
            password_hash=await hash_password_for(pool, admin_email, admin_password),
            install_defaults=install_organization_defaults,
            now=clock.now(),
        )

    created = with_database(settings, work)
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
    click.echo(f"administrator {admin_email} ({created.user_id})")
    click.echo(f"API key       {created.secret}  (shown once)")


@org.command("set-plan")
@click.argument("organization")
@click.argument("plan", type=_PLANS)
@location_options
def set_plan(organization: str, plan: str, data_dir: Path | None, database_url: str | None) -> None:
    """Change an organization's plan. Acts at once on every process."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)

    async def work(pool: Pool, bus: InvalidationBus) -> None:
        await actions.set_plan(pool, bus, TenantId(organization), Plan(plan), now=clock.now())

    with_database(settings, work)
    click.echo(f"{organization} is now on the {plan} plan")


@org.command("list")
@location_options
def list_organizations(data_dir: Path | None, database_url: str | None) -> None:
    """List all organizations."""
    settings = read_settings(data_dir=data_dir, database_url=database_url)

    async def work(pool: Pool, _bus: InvalidationBus) -> list[Any]:
        return await queries.every(pool)

    for organization in with_database(settings, work):
        click.echo(f"{organization.id}  {organization.plan:<12}  {organization.name}")
