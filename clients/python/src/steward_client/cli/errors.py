"""What a command ends with when it doesn't end well. Each kind of trouble has an exit code of its own."""

from collections.abc import Mapping
from typing import Any

import click

from steward_client.cli.cells import printable

REFUSED, USAGE, UNREACHABLE, NOT_ALLOWED, NOT_FOUND, CONFLICT, TOO_MANY = 1, 2, 3, 4, 5, 6, 7
INTERRUPTED, BROKEN_PIPE = 130, 141
EXIT_CODES: Mapping[int, str] = {
    0: "done",
    REFUSED: "refused: the service didn't accept it as it was given, or a file has faults",
    USAGE: "the command was not written as its help says, or a profile is missing",
    UNREACHABLE: "the service can't be reached, or can't answer now",
    NOT_ALLOWED: "the key is not known, or may not do this",
    NOT_FOUND: "there is no such record",
    CONFLICT: "not in the state in which the record is, or somebody changed it in between",
    TOO_MANY: "a limit is reached; the message says when to try again",
    INTERRUPTED: "ended by Ctrl-C",
    BROKEN_PIPE: "the reader of the output has gone",
}


class CommandError(click.ClickException):
    """One line, the lines that belong to it, and the next step."""

    def __init__(self, message: str, exit_code: int = REFUSED, *more: str) -> None:
        super().__init__(advice(message))
        self.exit_code = exit_code  # type: ignore[misc]  # each of ours has its own
        self.more = tuple(map(advice, more))

    def show(self, file: Any = None) -> None:
        click.echo(f"steward: {self.message}", err=True, file=file)
        for words in self.more:
            click.echo(f"  {words}", err=True, file=file)


def advice(words: str) -> str:
    """Names the program as it was called: `steward`, or `steward-client` where there is nothing but the client."""
    context = click.get_current_context(silent=True)
    called = context.find_root().info_name if context is not None else None
    program = called if called == "steward-client" else "steward"
    return printable(words).replace("`steward ", f"`{program} ")
