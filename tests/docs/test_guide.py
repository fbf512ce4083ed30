"""What CONTRIBUTING says is where it says: each file is there, and each symbol named after it is defined in it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.architecture.source import ROOT, SOURCE
from tests.support.offenders import listed

GUIDE = ROOT / "CONTRIBUTING.md"
# A path, and in parentheses what is defined there.
_NAMED = re.compile(r"`([\w./-]+\.py)`(?: \(((?:`\w+`(?:, )?)+)\))?")


def _rows(text: str) -> Iterator[str]:
    table = text.split("| you want to | touch |", 1)[1].split("\n\n", 1)[0]
    yield from table.splitlines()[2:]


def _faults(row: str) -> list[str]:
    faults = []
    for path, names in _NAMED.findall(row):
        file = next((base / path for base in (SOURCE, ROOT) if (base / path).is_file()), None)
        if file is None:
            faults += [f"{path} is not there"] if "/" in path else []
            continue
        defined = _defined(file)
        faults += [f"{path} defines no {name}" for name in re.findall(r"\w+", names) if name not in defined]
    return faults


def _defined(file: Path) -> set[str]:
    """The names that a module defines itself; what it imports is defined elsewhere."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {name.id for one in targets for name in ast.walk(one) if isinstance(name, ast.Name)}
    return found


def test_what_the_guide_names_is_there() -> None:
    rows = list(_rows(GUIDE.read_text(encoding="utf-8")))
    assert len(rows) > 20
    offenders = [fault for row in rows for fault in _faults(row)]
    assert offenders == [], listed(offenders)


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        ("| x | `visitors/model.py` (`Visitor`, `NewVisitor`) |", []),
        ("| x | `visitors/model.py` (`Visitor`, `Gone`) |", ["visitors/model.py defines no Gone"]),
        ("| x | `visitors/gone.py` (`Visitor`) |", ["visitors/gone.py is not there"]),
        ("| x | the slice's `model.py` |", []),
        ("| x | `roles/model.py` (`Permission`) |", ["roles/model.py defines no Permission"]),
    ],
)
def test_a_row_that_is_wrong_is_found(row: str, faults: list[str]) -> None:
    assert _faults(row) == faults
