"""The command line for users: work orders, assets, bookings and the rest, through the API."""

from collections.abc import Mapping
from importlib import import_module

import click

from steward_client._version import VERSION

# Each command's module, and its name there; imported when it is asked for.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "login": ("steward_client.cli.login", "login"),
    "logout": ("steward_client.cli.login", "logout"),
    "whoami": ("steward_client.cli.login", "whoami"),
    "profiles": ("steward_client.cli.login", "profiles_group"),
    "work-orders": ("steward_client.cli.work_orders", "work_orders"),
    "assets": ("steward_client.cli.assets", "assets"),
    "locations": ("steward_client.cli.locations", "locations"),
    "bookings": ("steward_client.cli.bookings", "bookings"),
    "visitors": ("steward_client.cli.visitors", "visitors"),
    "telemetry": ("steward_client.cli.telemetry", "telemetry"),
    "alerts": ("steward_client.cli.alerts", "alerts"),
    "events": ("steward_client.cli.events", "events"),
    "webhooks": ("steward_client.cli.webhooks", "webhooks"),
    "export": ("steward_client.cli.transfer", "export"),
    "import": ("steward_client.cli.transfer", "import_"),
    "mcp": ("steward_client.mcp.command", "mcp"),
}


def load(name: str) -> click.Command | None:
    if name not in COMMANDS:
        return None
    module, attribute = COMMANDS[name]
    command: click.Command = getattr(import_module(module), attribute)
    return command


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        return load(cmd_name)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(VERSION, prog_name="steward-client")
def group() -> None:
    """Use Steward: facility and asset operations."""


def main() -> None:
    group()
