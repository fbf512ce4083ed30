"""`steward migrate`."""

import click
import uvloop

from steward.cli.base import find_database_url, with_settings
from steward.cli.errors import operator_errors
from steward.settings import Settings
from steward.wiring.schema import migrate as run_migrations


@click.command()
@click.option(
    "--distribute",
    is_flag=True,
    help="Also distribute the tables over the workers of a Citus cluster; once is enough, later migrations go on with it.",
)
@with_settings
def migrate(settings: Settings, distribute: bool) -> None:
    """Bring the database to the schema of this version."""
    with operator_errors():
        applied = uvloop.run(
            run_migrations(find_database_url(settings), settings.database_listen_url, distribute=distribute)
        )
    click.echo("\n".join(applied) if applied else "nothing to do")
