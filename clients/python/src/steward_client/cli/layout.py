"""How wide the columns of a table are on a terminal of a certain width."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

_BETWEEN = 2
# Less than this says nothing.
_LEAST = 8
# What a table is about stands in its first columns; these are never left out.
_ALWAYS = 2


def fitted(widths: Sequence[int], shrinks: Sequence[bool], room: int) -> list[int]:
    """A width for each column; 0 leaves it out.

    First the longest of those that may shrink gives way, a character at a time. Where that is not enough, the columns at the
    right are left out: half an id or half a time is of no use to anybody.
    """
    fitting = list(widths)
    for last in range(len(fitting), 0, -1):
        shown = fitting[:last]
        elastic = [place for place in range(last) if shrinks[place]]
        while _total(shown) > room and elastic:
            longest = max(elastic, key=lambda place: shown[place])
            if shown[longest] <= _LEAST:
                break
            shown[longest] -= 1
        if _total(shown) <= room or last <= _ALWAYS:
            return [*shown, *[0] * (len(fitting) - last)]
    return fitting


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def cell(words: str, width: int, mark: str) -> str:
    """Exactly so wide; what is cut off leaves a mark."""
    if cell_len(words) <= width:
        return set_cell_size(words, width)
    return set_cell_size(words, max(width - 1, 0)).rstrip() + mark
