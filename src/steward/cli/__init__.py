"""The command line: the only reader of argv and of the environment."""

import gc
from collections.abc import Mapping
from importlib import import_module

import click

from steward import __version__

# Each command's module, and its name there. One is imported when it is asked for: a worker needs no templates, the API no
# client for webhooks, and what a process doesn't import takes neither time to start nor memory.
_COMMANDS: Mapping[str, tuple[str, str]] = {
    "up": ("steward.cli.up", "up"),
    "api": ("steward.cli.run_api", "api"),
    "worker": ("steward.cli.run_worker", "worker"),
    "migrate": ("steward.cli.migrate", "migrate"),
    "org": ("steward.cli.org", "org"),
    "user": ("steward.cli.user", "user"),
    "listen": ("steward.cli.listen", "listen"),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        if cmd_name not in _COMMANDS:
            return None
        module, name = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steward")
def group() -> None:
    """Steward: facility and asset operations."""


def main() -> None:
    # What is imported stays, and what requests and deliveries make has no circles: there is little for the collector to find,
    # and looking for it as often as it would takes a tenth of a start.
    gc.set_threshold(100_000, 20, 50)
    group()
