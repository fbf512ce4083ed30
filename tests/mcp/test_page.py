"""What docs/howto/use-with-an-assistant.md says of tools is what there is."""

import json
import re
from pathlib import Path

import pytest

from steward_client.mcp.answers import MOST_CHARACTERS
from steward_client.mcp.curation import EVERYDAY
from steward_client.mcp.document import parse_document
from steward_client.mcp.prompts import RECIPES
from steward_client.mcp.resources import RESOURCES
from steward_client.mcp.tools import tools_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "howto" / "use-with-an-assistant.md").read_text(encoding="utf-8")
DOCUMENT = parse_document(json.loads((ROOT / "openapi.json").read_text(encoding="utf-8")))


def row(of: str) -> str:
    return next(line for line in PAGE.splitlines() if line.startswith(f"| {of} |"))


def test_groups_are_all_named() -> None:
    groups = {tool.operation.group for tool in tools_of(DOCUMENT, ("all",)).values()}
    everyday, others = (set(re.findall(r"`(\w+)`", row(of))) for of in ("not set", "`all`"))
    assert everyday == set(EVERYDAY)
    assert others - {"all"} == groups - everyday


@pytest.mark.parametrize(
    ("groups", "writes", "said"),
    [
        ((), False, "{} tools to read"),
        (("all",), False, "{} tools to read"),
        ((), True, "{} tools for everyday work"),
        (("all",), True, "{} in all"),
    ],
)
def test_tools_are_counted_right(groups, writes, said) -> None:
    with_search = len(tools_of(DOCUMENT, groups, writes=writes)) + 1
    assert said.format(with_search) in PAGE


def test_the_page_names_resources_and_prompts() -> None:
    names = [*(f"`{resource.uri}`" for resource in RESOURCES), *(f"“{recipe.title}”" for recipe in RECIPES)]
    assert [name for name in names if name not in PAGE] == []
    assert f"{MOST_CHARACTERS:,}".replace(",", " ") in PAGE
