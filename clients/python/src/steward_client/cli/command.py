"""The classes of which all commands are made: their common options, and their errors explained."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

import click
from click.shell_completion import CompletionItem

from steward_client.cli import moments, profiles
from steward_client.cli.explain import explained
from steward_client.cli.output import Format, Output, write_what_can_be_written
from steward_client.cli.session import Session


class Moment(click.ParamType[int]):
    """A time, as people write it."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return moments.moment(value, datetime.now().astimezone())
        except (ValueError, OverflowError, OSError) as error:
            self.fail(str(error), param, ctx)


class Span(click.ParamType[int]):
    """So long."""

    name = "SPAN"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return moments.span(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Word(click.Choice[str]):
    """A fixed word of the API, however it is written, and completed as the API writes it."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__(words, case_sensitive=False)

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 (click's)
        return f"[{'|'.join(self.choices)}]"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        param: click.Parameter,  # noqa: ARG002 (click's)
        incomplete: str,
    ) -> list[CompletionItem]:
        return [CompletionItem(word) for word in self.choices if word.lower().startswith(incomplete.lower())]


class ProfileName(click.ParamType[str]):
    name = "NAME"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002 (click's)
        param: click.Parameter,  # noqa: ARG002 (click's)
        incomplete: str,
    ) -> list[CompletionItem]:
        try:
            known, _warning = profiles.load(profiles.config_file(), tighten=False)
        except profiles.ProfileError:
            return []
        return [
            CompletionItem(name, help=profile.url)
            for name, profile in sorted(known.profiles.items())
            if name.startswith(incomplete)
        ]


def profile_option() -> click.Option:
    return click.Option(["--profile"], type=ProfileName(), help="Which login; STEWARD_PROFILE says the same.")


def _format_options(formats: Sequence[Format]) -> Iterable[click.Option]:
    if "json" in formats:
        yield click.Option(
            ["--json", "as_json"], is_flag=True, help="One JSON object a line, as the API has it."
        )
    if "csv" in formats:
        yield click.Option(
            ["--csv", "as_csv"], is_flag=True, help="Comma-separated values with a header row."
        )


class UserCommand(click.Command):
    """Its callback takes the session first."""

    def __init__(self, *args: Any, formats: Sequence[Format] = ("json",), **more: Any) -> None:
        super().__init__(*args, **more)
        self.params += [*_format_options(formats), profile_option()]

    def invoke(self, ctx: click.Context) -> Any:
        given = dict(ctx.params)
        as_json, as_csv = given.pop("as_json", False), given.pop("as_csv", False)
        if as_json and as_csv:
            raise click.UsageError("give --json or --csv, not both", ctx)
        output = Output("json" if as_json else "csv" if as_csv else "table")
        session = Session(given.pop("profile"), output)
        write_what_can_be_written()
        assert self.callback is not None  # noqa: S101 (a command without one does nothing)
        with explained(session), closing(session):
            try:
                return self.callback(session, **given)
            except click.UsageError as error:
                # So that it shows how the command is used.
                error.ctx = error.ctx or ctx
                raise


class UserGroup(click.Group):
    command_class = UserCommand

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        """In the order in which they were written: that of the day, not of the alphabet."""
        return list(self.commands)


def command(
    name: str, help: str, run: Callable[..., None], params: Sequence[click.Parameter] = (), **more: Any
) -> UserCommand:
    """A command from data."""
    return UserCommand(name, callback=run, help=help, params=list(params), **more)
