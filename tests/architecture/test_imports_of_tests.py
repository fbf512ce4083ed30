"""Tests find their helpers where a reader would look: in modules, by their whole names."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted(
    file.relative_to(ROOT) for folder in ("tests", "bench", "soak") for file in (ROOT / folder).rglob("*.py")
)


@pytest.mark.parametrize("folder", ["tests", "bench", "soak"])
def test_no_import_is_relative_or_from_a_conftest(folder: str) -> None:
    wrong = [
        f"{file}:{node.lineno}"
        for file in FILES
        if file.parts[0] == folder
        for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        if node.level or (node.module or "").endswith("conftest")
    ]
    assert wrong == []
