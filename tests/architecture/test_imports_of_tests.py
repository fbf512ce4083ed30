"""Tests find their helpers where a reader would look: in modules, by their whole names."""

import ast

from tests.architecture.source import ROOT, trees
from tests.support.offenders import listed


def test_no_import_is_relative_or_from_a_conftest() -> None:
    offenders = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for folder in ("tests", "bench", "soak")
        for file, tree in trees(ROOT / folder).items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        if node.level or (node.module or "").endswith("conftest")
    ]
    assert offenders == [], listed(offenders)
