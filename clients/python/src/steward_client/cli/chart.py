"""A chart of a series, as lines of text: braille dots where the terminal has them, else plain characters."""

import math
from collections.abc import Callable, Sequence

import msgspec

# The dots of a braille character, by column and row: Unicode's own order.
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800
_LEAST_COLUMNS, _LEAST_ROWS = 10, 2


class Point(msgspec.Struct, frozen=True):
    """One bucket of time; where it holds one reading, least and greatest are the same."""

    at: float
    least: float
    greatest: float
    average: float


class _Canvas:
    """Characters that hold several dots each; the origin is at the lower left."""

    def __init__(self, columns: int, rows: int, *, plain: bool) -> None:
        self._plain = plain
        self.wide, self.high = (columns, rows) if plain else (columns * 2, rows * 4)
        # Where a line that never moves is drawn: the row in the middle.
        self.middle = self.high - 1 - (_middle(rows) * self.high // rows + self.high // rows // 2)
        self._cells = [[0] * columns for _ in range(rows)]

    def dot(self, x: int, y: int) -> None:
        down = self.high - 1 - y
        if self._plain:
            self._cells[down][x] = 1
        else:
            self._cells[down // 4][x // 2] |= _DOTS[x % 2][down % 4]

    def line(self, x0: int, y0: int, x1: int, y1: int) -> None:
        steps = max(abs(x1 - x0), abs(y1 - y0), 1)
        for step in range(steps + 1):
            self.dot(round(x0 + (x1 - x0) * step / steps), round(y0 + (y1 - y0) * step / steps))

    def lines(self) -> list[str]:
        if self._plain:
            return ["".join("*" if cell else " " for cell in row) for row in self._cells]
        return ["".join(chr(_BRAILLE + cell) if cell else " " for cell in row) for row in self._cells]


def chart(
    points: Sequence[Point],
    *,
    width: int,
    height: int,
    label: Callable[[float], str],
    gap: float = math.inf,
    plain: bool = False,
) -> list[str]:
    """Lines of at most `width` characters: values on the left, times below.

    Points that are further apart than `gap` seconds are not joined: there, nothing was measured. `label` writes a time.
    """
    drawn = [point for point in points if math.isfinite(point.average)]
    if not drawn:
        return ["no readings"]
    low, high = min(point.least for point in drawn), max(point.greatest for point in drawn)
    rows = max(height - 2, _LEAST_ROWS)
    ticks = _ticks(low, high, rows)
    margin = max(len(tick) for tick in ticks)
    columns = max(width - margin - 2, _LEAST_COLUMNS)
    canvas = _Canvas(columns, rows, plain=plain)
    _draw(canvas, drawn, low, high, gap)
    axis, corner, floor = ("|", "+", "-") if plain else ("┤", "└", "─")
    body = [
        f"{tick:>{margin}} {axis}{line}".rstrip() for tick, line in zip(ticks, canvas.lines(), strict=True)
    ]
    below = _times(label(drawn[0].at), label(drawn[-1].at), columns)
    return [*body, f"{'':>{margin}} {corner}{floor * columns}", f"{'':>{margin + 2}}{below}".rstrip()]


def _draw(canvas: _Canvas, points: Sequence[Point], low: float, high: float, gap: float) -> None:
    begin, end = points[0].at, points[-1].at

    def across(at: float) -> int:
        return round((at - begin) / (end - begin) * (canvas.wide - 1)) if end > begin else canvas.wide // 2

    def up(value: float) -> int:
        return round((value - low) / (high - low) * (canvas.high - 1)) if high > low else canvas.middle

    before: Point | None = None
    for point in points:
        x = across(point.at)
        # A bucket with several readings is drawn as high as it is wide-ranging: a peak must not vanish in an average.
        canvas.line(x, up(point.least), x, up(point.greatest))
        if before is not None and point.at - before.at <= gap:
            canvas.line(across(before.at), up(before.average), x, up(point.average))
        before = point


def _ticks(low: float, high: float, rows: int) -> list[str]:
    """What stands left of each row: the greatest at the top, the least at the bottom, the middle where there is room."""
    marks = {0: high, rows - 1: low}
    middle = _middle(rows)
    if high == low:
        marks = {middle: low}
    elif rows >= 5:
        marks[middle] = high - (high - low) * middle / (rows - 1)
    return [number(marks[row]) if row in marks else "" for row in range(rows)]


def _middle(rows: int) -> int:
    return (rows - 1) // 2


def _times(first: str, last: str, columns: int) -> str:
    room = columns - len(first) - len(last)
    return f"{first}{' ' * room}{last}" if room >= 1 and first != last else first[:columns]


def number(value: float) -> str:
    """As few digits as tell it apart."""
    if value == 0 or 0.001 <= abs(value) < 1_000_000:
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return f"{value:.3g}"
