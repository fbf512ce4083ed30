"""docs/reference/commands.md has a row for every command that runs the service, with every option."""

import re

import click
from scripts.generate.commands import all_commands
from tests.docs.pages import Page
from tests.support.offenders import listed

from steward_client.cli import COMMANDS as FOR_USERS

_ROWS = re.findall(
    r"^\| `(steward [^`]+)` \| (.+) \|$", Page.read("docs/reference/commands.md").text, re.MULTILINE
)
# Told once, below the table, for all commands that have them.
_EVERYWHERE = {"--data-dir", "--database-url"}
_SERVERS = {path: command for path, command in all_commands() if path.split()[1] not in FOR_USERS}


def test_a_command_has_its_row() -> None:
    offenders = []
    for path, command in _SERVERS.items():
        rows = [row for row, _ in _ROWS if re.match(rf"{path}( [^a-z]|$)", row)]
        if len(rows) != 1:
            offenders.append(f"no row, or several, for {path}")
            continue
        missing = _options(command) - _EVERYWHERE - set(re.findall(r"--[a-z-]+", rows[0]))
        offenders += [f"the row of {path} misses {option}" for option in sorted(missing)]
    assert _SERVERS
    assert offenders == [], listed(offenders)


def _options(command: click.Command) -> set[str]:
    return {
        option
        for parameter in command.params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in parameter.opts
        if option.startswith("--")
    }


def test_every_row_belongs_to_a_command() -> None:
    assert [row for row, _ in _ROWS if not any(row.startswith(path) for path in _SERVERS)] == []
