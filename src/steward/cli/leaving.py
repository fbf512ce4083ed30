"""`steward org export` and `steward org delete`: for customers who leave, and for the law."""

import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from steward.cli.base import with_settings
from steward.cli.errors import OperatorError
from steward.cli.progress import RowsLine
from steward.cli.with_database import OpenedDatabase, with_database
from steward.kit.runtime import clock
from steward.kit.security.caller import TenantId
from steward.operations.tenants.actions import delete_leftovers, delete_organization, has_leftovers
from steward.operations.tenants.exporting import export_organization
from steward.organizations import queries
from steward.organizations.model import Organization
from steward.settings import Settings


@click.command()
@click.argument("organization")
@click.option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The zip file to write; one that exists is left alone.",
)
@with_settings
def export(settings: Settings, organization: str, file: Path) -> None:
    """Write everything of ORGANIZATION into a zip of NDJSON files, as it is at this moment. Secrets are left out."""
    if file.exists() or file.is_symlink():
        raise OperatorError(f"{file} exists already; an export overwrites nothing")
    if not file.absolute().parent.is_dir():
        raise OperatorError(f"there is no folder {file.absolute().parent}")
    tenant = TenantId(organization)
    with closing(RowsLine("export")) as line:
        manifest = with_database(
            settings,
            lambda db: export_organization(db.session_url, tenant, file, line.add, now=clock.now()),
        )
    click.echo(f"{file}: {line.rows:,} records of {manifest.organization} in {len(manifest.files)} files")


@click.command()
@click.argument("organization")
@click.option(
    "--yes-delete",
    metavar="NAME",
    help="The organization's name, for scripts; otherwise it is to be typed on the terminal.",
)
@with_settings
def delete(settings: Settings, organization: str, yes_delete: str | None) -> None:
    """Delete ORGANIZATION with everything that it has, for good. Its keys stop at once on every process."""
    tenant = TenantId(organization)
    found = with_database(settings, partial(_find, tenant))
    # The first run asked for confirmation; the name is gone by now.
    if found is not None:
        _confirm(found, yes_delete)
    with closing(RowsLine("delete")) as line:
        if found is None:
            left = with_database(settings, lambda db: delete_leftovers(db.session_url, tenant, line.add))
        else:
            left = with_database(settings, lambda db: delete_organization(*db, tenant, line.add))
    if left:
        tables = ", ".join(f"{table} ({count})" for table, count in left.items())
        raise OperatorError(f"rows were written meanwhile; some are left in {tables}: run it again")
    name = "what was left of it" if found is None else found.name
    click.echo(f"{name} ({organization}) is deleted")


async def _find(tenant: TenantId, db: OpenedDatabase) -> Organization | None:
    """None for one that is gone but for rows that were written while it was deleted."""
    found = await queries.get(db.pool, tenant)
    if found is None and not await has_leftovers(db.session_url, tenant):
        raise OperatorError(f"there is no organization {tenant}; `steward org list` shows all")
    return found


def _confirm(found: Organization, given: str | None) -> None:
    if given is None:
        if not sys.stdin.isatty():
            raise OperatorError("there is no terminal to ask on: give --yes-delete NAME")
        click.echo(f"{found.name} ({found.id}) and everything that it has will be gone for good.", err=True)
        given = str(click.prompt("Type its name to delete it", err=True))
    if given != found.name:
        raise OperatorError(f"that is not the name of {found.id}; nothing is deleted")
