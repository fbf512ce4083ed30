"""A file that the docs name is there; tests/docs follows links and runs what the pages say."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import ROOT, SOURCE
from tests.support.offenders import listed

DOCS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "bench" / "README.md",
        ROOT / "soak" / "README.md",
        ROOT / "clients" / "python" / "README.md",
    ]
)
# The CHANGELOG mentions former names.
HISTORY = {"CHANGELOG.md"}

_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.\w+)?)(?:::\w+)?`")


def test_paths_named_by_a_page_exist() -> None:
    offenders = [
        f"{file.relative_to(ROOT)}:{line} {path}"
        for file in DOCS
        if file.name not in HISTORY
        for line, path in _named(file)
        if not any((base / path).exists() for base in (ROOT, SOURCE, file.parent)) and _is_ours(path)
    ]
    assert offenders == [], listed(offenders)


def _named(file: Path) -> Iterator[tuple[int, str]]:
    """The line of each path that a page names, and the path."""
    text = file.read_text(encoding="utf-8")
    for found in _PATH.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[1]


def _is_ours(path: str) -> bool:
    """A path of the source or the project, as opposed to one of the API or of somebody's machine."""
    first = path.split("/", 1)[0]
    return path.endswith(".py") or (ROOT / first).exists() or (SOURCE / first).exists()
