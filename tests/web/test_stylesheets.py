"""The style sheets are many files in the tree and two on the wire."""

import re
from importlib.resources import files
from pathlib import Path

import pytest
from tests.support.browser import BrowserClient

STATIC = Path(str(files("steward.web").joinpath("static")))
_SHEETS = ("steward.css", "docs.css")
_LIMIT = 300


def _imported(sheet: str) -> list[str]:
    return re.findall(r'@import "\./(.+)";', STATIC.joinpath(sheet).read_text(encoding="utf-8"))


def test_every_file_is_imported_once() -> None:
    written = sorted(str(file.relative_to(STATIC)) for file in STATIC.joinpath("css").rglob("*.css"))
    assert sorted(name for sheet in _SHEETS for name in _imported(sheet)) == written


def test_a_file_stays_short() -> None:
    long = [
        file.name
        for file in STATIC.joinpath("css").rglob("*.css")
        if len(file.read_text().splitlines()) > _LIMIT
    ]
    assert long == []


@pytest.mark.parametrize("sheet", _SHEETS)
def test_a_sheet_is_sent_with_its_imports(admin: BrowserClient, sheet: str) -> None:
    sent = admin.get(f"/static/{sheet}").text
    assert "@import" not in sent
    position = 0
    for name in _imported(sheet):
        position = sent.index(STATIC.joinpath(name).read_text(encoding="utf-8"), position)
