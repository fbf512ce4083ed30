"""Templates are read by people and compiled once."""

from tests.architecture.source import SOURCE

_LINE_LIMIT = 160


def test_macros_are_imported_without_context() -> None:
    """With it, Jinja builds the module of the macros anew for every page."""
    templates = SOURCE.glob("**/templates/*.html")
    assert [file.name for file in templates if "with context" in file.read_text(encoding="utf-8")] == []


def test_lines_are_short_enough_to_read() -> None:
    templates = SOURCE.glob("**/templates/*.html")
    long = [
        f"{file.relative_to(SOURCE)}:{number}"
        for file in templates
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > _LINE_LIMIT
    ]
    assert long == []
