"""docs/reference/commands.md has a row for every command that runs the service, with every option."""

import re

import click
import pytest
from scripts.generate.commands import all_commands
from tests.docs.pages import Page

from steward_client.cli import COMMANDS as FOR_USERS

_ROWS = re.findall(
    r"^\| `(steward [^`]+)` \| (.+) \|$", Page.read("docs/reference/commands.md").text, re.MULTILINE
)
# Told once, below the table, for all commands that have them.
_EVERYWHERE = {"--data-dir", "--database-url"}
_SERVERS = {path: command for path, command in all_commands() if path.split()[1] not in FOR_USERS}


@pytest.mark.parametrize("path", _SERVERS)
def test_a_command_has_its_row(path: str) -> None:
    rows = [row for row, _ in _ROWS if re.match(rf"{path}( [^a-z]|$)", row)]
    assert len(rows) == 1, f"no row, or several, for {path}"
    options = {
        option
        for parameter in _SERVERS[path].params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in parameter.opts
        if option.startswith("--")
    }
    assert options - _EVERYWHERE - set(re.findall(r"--[a-z-]+", rows[0])) == set()


def test_every_row_is_of_a_command() -> None:
    assert [row for row, _ in _ROWS if not any(row.startswith(path) for path in _SERVERS)] == []
