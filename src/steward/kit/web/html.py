"""Pieces of HTML that Python fills in: a list has hundreds of cells, and a Jinja macro costs twice as much for each."""

from markupsafe import Markup


class Html:
    """`Html('<a href="%s">%s</a>')` called with values is markup in which they are escaped."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, *values: object) -> Markup:
        return Markup(self._text % tuple([escaped(value) for value in values]))  # noqa: S704 (the text is ours)


def escaped(value: object) -> str:
    """The same text as `markupsafe.escape`, at a third of its price: that makes a Markup of each value."""
    if type(value) is Markup:
        return value
    return (
        str(value)
        .replace("&", "&amp;")
        .replace(">", "&gt;")
        .replace("<", "&lt;")
        .replace("'", "&#39;")
        .replace('"', "&#34;")
    )
