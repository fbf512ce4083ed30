"""`steward …` as an operator types it, in this process."""

import os
from pathlib import Path

import click.testing
from tests.support.processes import SECRET_KEY

from steward.cli import group

PASSPHRASE = "a passphrase of the operator"


def steward(
    *words: str | Path, typed: str | None = None, secret_key: str | None = SECRET_KEY, **settings: str
) -> click.testing.Result:
    """`typed` stands on standard input. Without a secret key it is that of the data directory."""
    cleared = {name: None for name in os.environ if name.startswith("STEWARD_")}
    runner = click.testing.CliRunner(env={**cleared, "STEWARD_SECRET_KEY": secret_key, **settings})
    return runner.invoke(group, [str(word) for word in words], input=typed)


def done(*words: str | Path, typed: str | None = None, **more: str | None) -> str:
    """What it printed; it has to end well."""
    result = steward(*words, typed=typed, **more)  # type: ignore[arg-type]
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words: str | Path, typed: str | None = None, code: int = 1, **more: str | None) -> str:
    """The one line that it said instead."""
    result = steward(*words, typed=typed, **more)  # type: ignore[arg-type]
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (code, "", 1), result.output
    return result.stderr
