"""What all commands have in common: their settings, and where the database is."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from steward.cli.errors import OperatorError
from steward.kit.runtime import log
from steward.settings import Settings, SettingsError, from_environment
from steward.supervisor.cluster import find_location
from steward.supervisor.postgres import running_url


def read_settings(**overrides: Any) -> Settings:
    try:
        settings = from_environment(os.environ, **overrides)
    except SettingsError as error:
        raise OperatorError(str(error)) from None
    # https://no-color.org: whatever it holds, as long as it holds something.
    log.configure(settings.log_format, settings.log_level, colors=not os.environ.get("NO_COLOR"))
    return settings


def find_database_url(settings: Settings) -> str:
    """The URL that was given, or that of the embedded server which runs in the data directory."""
    url = settings.database_url or running_url(settings.data_dir)
    if url is None:
        find_location(settings.data_dir)  # a folder that may not be entered says so itself
        raise OperatorError(
            f"no database: give --database-url, or start `steward up` with the data directory {settings.data_dir}"
        )
    return url


def listening_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the service listens. What is given is checked like the variables that say the same."""
    command = click.option("--port", metavar="PORT", help="The port; 8000 by default, 0 for any free one.")(
        command
    )
    return click.option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 by default.")(command)


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """The settings come first; options that are called like one of them are read into them, as those that say where the data is."""

    @wraps(command)
    def run(**given: Any) -> Any:
        read = {name: given.pop(name) for name in Settings.__struct_fields__ if name in given}
        return command(read_settings(**read), **given)

    return location_options(run)


def location_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the data is: the same two options on every command."""
    command = click.option(
        "--database-url", metavar="URL", help="A PostgreSQL 15 or newer; STEWARD_DATABASE_URL says the same."
    )(command)
    return click.option(
        "--data-dir",
        metavar="FOLDER",
        help="Holds the embedded database and the secret key; ./data by default.",
    )(command)
