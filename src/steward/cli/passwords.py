"""Where a command gets a password from: a file, the terminal, or its own line."""

import sys
from collections.abc import Callable
from typing import IO, Any

import click

from steward.cli.errors import OperatorError


def password_file_option(name: str, holds: str) -> Callable[..., Any]:
    """Its file is for `read_password`."""
    return click.option(
        name,
        type=click.File(encoding="utf-8"),
        help=f"Its first line is {holds}; - reads standard input. Otherwise it is asked for on the terminal.",
    )


def read_password(
    file: IO[str] | None,
    given: str | None,
    *,
    option: str,
    called: str = "password",
    asked_twice: bool = True,
) -> str:
    """`option` is what the command calls the password; the file's option is called after it."""
    if file is not None and given is not None:
        raise OperatorError(f"give {option}-file or {option}, not both")
    if file is not None:
        try:
            return file.readline().rstrip("\r\n")
        except UnicodeDecodeError:
            raise OperatorError(f"the {called} file is not UTF-8") from None
        except OSError as error:
            raise OperatorError(f"the {called} file can't be read: {error.strerror}") from None
    if given is not None:
        return given
    if not sys.stdin.isatty():
        raise OperatorError(
            f"there is no terminal to ask on: give {option}-file FILE, or - for standard input"
        )
    return str(click.prompt(called.capitalize(), hide_input=True, confirmation_prompt=asked_twice, err=True))
