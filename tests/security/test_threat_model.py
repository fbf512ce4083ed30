"""SECURITY.md names the tests that show what it says: they are there, and no row is without one."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/.]+)(?:::(\w+))?`", PAGE)))
ROWS = [line for line in PAGE.splitlines() if line.startswith("|")][2:]


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_every_named_test_exists(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    known = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert name in known | {""}


def test_every_row_names_a_test() -> None:
    assert len(ROWS) > 15
    assert [row for row in ROWS if "`tests/" not in row.split("|")[-2]] == []


def test_all_ten_of_the_list_are_there() -> None:
    tree = ast.parse((ROOT / "tests/security/test_owasp.py").read_text(encoding="utf-8"))
    numbers = [
        int(found[1]) for node in tree.body if (found := re.match(r"TestApi(\d+)", getattr(node, "name", "")))
    ]
    assert numbers == list(range(1, 11))
