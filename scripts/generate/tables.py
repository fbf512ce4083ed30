"""What all generated pages are made of."""

NOTE = "<!-- Written by `make docs`; change the code instead. -->\n"


def table(*rows: tuple[str, ...]) -> str:
    """Of Markdown; the first row is the head."""
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return " ".join(text.replace("|", "\\|").split())
