"""A file that the docs name is there; tests/docs follows links and runs what the pages say."""

import re

import pytest
from tests.architecture.source import ROOT, SOURCE

DOCS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        ROOT / "bench" / "README.md",
        ROOT / "soak" / "README.md",
        ROOT / "clients" / "python" / "README.md",
    ]
)
# What is new of late tells of names that there were.
HISTORY = {"CHANGELOG.md"}

_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.\w+)?)(?:::\w+)?`")


@pytest.mark.parametrize("file", DOCS, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_a_page_names_exists(file) -> None:
    text = file.read_text(encoding="utf-8")
    named = set() if file.name in HISTORY else set(_PATH.findall(text))
    missing = {
        path
        for path in named
        if not any((base / path).exists() for base in (ROOT, SOURCE, file.parent)) and _is_ours(path)
    }
    assert missing == set()


def _is_ours(path: str) -> bool:
    """A path of the source or the project, as opposed to one of the API or of somebody's machine."""
    first = path.split("/", 1)[0]
    return path.endswith(".py") or (ROOT / first).exists() or (SOURCE / first).exists()
