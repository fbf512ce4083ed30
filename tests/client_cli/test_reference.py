"""The page about what all commands have in common says what the code does."""

import re

from tests.docs.pages import Page

from steward_client.cli.errors import EXIT_CODES


def test_every_exit_code_is_explained() -> None:
    page = Page.read("docs/reference/client-commands.md")
    explained = re.findall(r"^\| (\d+) \| (.+) \|$", page.text, re.MULTILINE)
    assert {int(code): meaning for code, meaning in explained} == EXIT_CODES
