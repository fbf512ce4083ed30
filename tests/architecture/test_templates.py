"""Templates are read by people and compiled once."""

from tests.architecture.source import SOURCE


def test_macros_are_imported_without_context() -> None:
    """With it, Jinja builds the module of the macros anew for every page."""
    templates = SOURCE.glob("**/templates/*.html")
    assert [file.name for file in templates if "with context" in file.read_text(encoding="utf-8")] == []
