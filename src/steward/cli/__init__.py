"""The command line: the only reader of argv and of the environment."""

import gc
from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType

import click
from click.shell_completion import CompletionItem

from steward import __version__

# Each command's module, and its name there. One is imported when it is asked for: a worker needs no templates, the API no
# client for webhooks, and what a process doesn't import takes neither time to start nor memory.
_COMMANDS: Mapping[str, tuple[str, str]] = {
    "up": ("steward.cli.up", "up"),
    "api": ("steward.cli.run_api", "api"),
    "worker": ("steward.cli.run_worker", "worker"),
    "migrate": ("steward.cli.migrate", "migrate"),
    "backup": ("steward.cli.backup", "backup"),
    "restore": ("steward.cli.backup", "restore"),
    "doctor": ("steward.cli.doctor", "doctor"),
    "rotate-key": ("steward.cli.rotate_key", "rotate_key"),
    "org": ("steward.cli.org", "org"),
    "user": ("steward.cli.user", "user"),
    "listen": ("steward.cli.listen", "listen"),
}
_CLIENT = "steward_client.cli"
# Of no index: the package that has our name there is another project's.
_WITHOUT_CLIENT = "pip install './clients/python[cli]' in a checkout"


def _client() -> ModuleType | None:
    """The commands for users: another distribution, which a server can do without."""
    try:
        return import_module(_CLIENT)
    except ModuleNotFoundError:
        return None


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        client = _client()
        return [*_COMMANDS, *(client.COMMANDS if client is not None else ())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        if cmd_name not in _COMMANDS:
            return self._command_for_users(cmd_name)
        module, name = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), name)
        return command

    def _command_for_users(self, name: str) -> click.Command | None:
        client = _client()
        if client is None:
            raise click.UsageError(
                f"No such command '{name}'. The commands for users need: {_WITHOUT_CLIENT}"
            )
        try:
            found: click.Command | None = client.load(name)
        except ModuleNotFoundError as error:
            raise click.UsageError(f"'{name}' needs {error.name}: {_WITHOUT_CLIENT}") from None
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """By name alone: to import all of them for their help would take longer than to type one."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name) for name in self.list_commands(ctx) if name.startswith(incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Serve and operate"):
            formatter.write_dl(self._summaries(ctx, formatter, _COMMANDS))
        client = _client()
        with formatter.section("Use"):
            try:
                formatter.write_dl(self._summaries(ctx, formatter, client.COMMANDS if client else ["login"]))
            except click.UsageError:
                formatter.write_text(f"The commands for users need: {_WITHOUT_CLIENT}")

    def _summaries(
        self, ctx: click.Context, formatter: click.HelpFormatter, names: Iterable[str]
    ) -> list[tuple[str, str]]:
        found = [(name, self.get_command(ctx, name)) for name in names]
        room = formatter.width - 6 - max(len(name) for name, _ in found)
        return [(name, command.get_short_help_str(room)) for name, command in found if command is not None]


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steward")
def group() -> None:
    """Steward: facility and asset operations."""


def main() -> None:
    # What is imported stays, and what requests and deliveries make has no circles: there is little for the collector to find,
    # and looking for it as often as it would takes a tenth of a start. A look at ten thousand young objects takes a millisecond or two;
    # at ten times as many, which a large request makes, everybody else would notice it.
    gc.set_threshold(10_000, 200, 50)
    group()
