"""What all commands have in common: their settings, and where the database is."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from steward.cli.errors import OperatorError
from steward.kit.runtime import log
from steward.settings import Settings, SettingsError, from_environment
from steward.supervisor.postgres import running_url


def read_settings(**overrides: Any) -> Settings:
    try:
        settings = from_environment(os.environ, **overrides)
    except SettingsError as error:
        raise OperatorError(str(error)) from None
    log.configure(settings.log_format)
    return settings


def find_database_url(settings: Settings) -> str:
    """The URL that was given, or that of the embedded server which runs in the data directory."""
    url = settings.database_url or running_url(settings.data_dir)
    if url is None:
        raise OperatorError(
            f"no database: give --database-url, or start `steward up` with the data directory {settings.data_dir}"
        )
    return url


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
