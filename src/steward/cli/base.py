import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from steward.kit.runtime import log
from steward.settings import Settings, SettingsError, from_environment


class OperatorError(click.ClickException):
    """One line for whoever runs the service, and a non-zero exit."""

    def show(self, file: Any = None) -> None:
        click.echo(f"steward: {self.format_message()}", err=True, file=file)


def read_settings(**overrides: Any) -> Settings:
    try:
        settings = from_environment(os.environ, **overrides)
    except SettingsError as error:
        raise OperatorError(str(error)) from None
    log.configure(settings.log_format)
    return settings


def location_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the data is: the same two options on every command."""
    command = click.option(
        "--database-url", metavar="URL", help="A PostgreSQL 15 or newer; STEWARD_DATABASE_URL says the same."
    )(command)
    return click.option(
        "--data-dir",
        type=click.Path(path_type=Path, file_okay=False),
        help="Holds the embedded database and the secret key; ./data by default.",
    )(command)
