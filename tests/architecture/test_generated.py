"""What is written from the code is what the code would write today."""

from itertools import zip_longest
from pathlib import Path

from scripts.generate import ROOT, generated
from tests.support.offenders import listed


def test_a_generated_file_is_current() -> None:
    files = generated()
    offenders = [
        f"{file.relative_to(ROOT)}{where}"
        for file, text in files.items()
        if (where := _difference(file, text))
    ]
    assert files
    assert offenders == [], f"run `make docs`:{listed(offenders)}"


def _difference(file: Path, text: str) -> str | None:
    """The first line that is another one, if any is."""
    if not file.exists():
        return " is missing"
    written = file.read_text(encoding="utf-8")
    if written == text:
        return None
    lines = zip_longest(written.splitlines(keepends=True), text.splitlines(keepends=True))
    number, old, new = next((n, old, new) for n, (old, new) in enumerate(lines, 1) if old != new)
    return f":{number} has {old!r}, should have {new!r}"
