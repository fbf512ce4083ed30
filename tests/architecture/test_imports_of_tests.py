"""Tests find their helpers where a reader would look: in modules, by their whole names."""

import re

from tests.architecture.source import ROOT
from tests.support.offenders import listed

# Read as text: to parse a thousand files takes seconds.
_RELATIVE_OR_CONFTEST = re.compile(r"^[ \t]*from[ \t]+(?:\.|[\w.]*\bconftest[ \t])", re.MULTILINE)


def test_no_import_is_relative_or_from_a_conftest() -> None:
    offenders = []
    for folder in ("tests", "bench", "soak"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            offenders += [
                f"{file.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}"
                for found in _RELATIVE_OR_CONFTEST.finditer(text)
            ]
    assert offenders == [], listed(offenders)
