"""A series as lines of text."""

import math

import hypothesis.strategies as st
import pytest
from hypothesis import given
from rich.cells import cell_len

from steward_client.cli.chart import Point, chart, number


def series(*values: float, step: float = 60) -> list[Point]:
    return [Point(place * step, value, value, value) for place, value in enumerate(values)]


def label(at: float) -> str:
    return f"{at:.0f}s"


def drawn(points: list[Point], width: int = 30, height: int = 6, **more: object) -> list[str]:
    return chart(points, width=width, height=height, label=label, plain=True, **more)  # type: ignore[arg-type]


def test_a_rising_line_is_drawn_from_bottom_left() -> None:
    top, *_, bottom, _axis, _times = drawn(series(0, 1, 2, 3))
    assert top.rstrip().endswith("*")
    assert bottom.startswith("0 |*")


def test_the_axis_shows_minimum_maximum_and_times() -> None:
    lines = drawn(series(18.5, 24.25, 21), height=8)
    assert lines[0].startswith("24.25 |")
    assert lines[5].lstrip().startswith("18.5 |")
    assert lines[-1].split() == ["0s", "120s"]


def test_a_peak_within_a_bucket_is_kept() -> None:
    flat = [Point(place * 60, 20, 20, 20) for place in range(20)]
    flat[10] = Point(600, 20, 90, 23)
    lines = drawn(flat, width=40)
    assert lines[0].startswith("90 |")
    assert "*" in lines[0]


def test_gaps_in_readings_are_not_drawn() -> None:
    points = [*series(1, 1, 1), *(Point(10_000 + point.at, 1, 1, 1) for point in series(1, 1, 1))]
    joined, apart = drawn(points), drawn(points, gap=120)
    assert "".join(joined).count("*") > 20
    assert 2 <= "".join(apart).count("*") <= 4


@pytest.mark.parametrize("values", [(7,), (7, 7, 7)])
def test_one_value_alone_lies_in_the_middle(values: tuple[float, ...]) -> None:
    lines = drawn(series(*values))
    [tick] = [line for line in lines if line.lstrip().startswith("7")]
    assert "*" in tick


def test_a_chart_without_readings_says_so() -> None:
    assert drawn([]) == ["no readings"]
    assert drawn(series(math.nan)) == ["no readings"]


def test_braille_holds_eight_dots_a_character() -> None:
    lines = chart(series(*range(100)), width=40, height=10, label=label)
    assert any("\u2800" < character <= "\u28ff" for character in lines[0])
    assert "┤" in lines[0]
    assert "└" in lines[-2]


@given(
    st.lists(
        st.tuples(st.integers(0, 10**10), st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)),
        min_size=1,
        max_size=50,
    ),
    st.integers(1, 200),
    st.integers(1, 50),
    st.booleans(),
)
def test_a_chart_fits_any_values(
    rows: list[tuple[int, float, float]], width: int, height: int, plain: bool
) -> None:
    points = [Point(at, min(a, b), max(a, b), (a / 2 + b / 2)) for at, a, b in sorted(rows)]
    lines = chart(points, width=width, height=height, label=label, plain=plain)
    margin = max(len(number(point)) for one in points for point in (one.least, one.greatest)) + 12
    assert all(cell_len(line) <= max(width, margin + 10) for line in lines)
    assert len(lines) == max(height - 2, 2) + 2
    assert not plain or "".join(lines).isascii()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (21.4, "21.4"),
        (-3.0, "-3"),
        (0.123456, "0.123"),
        (1234567, "1.23e+06"),
        (0.00012, "0.00012"),
    ],
)
def test_numbers_are_short(value: float, words: str) -> None:
    assert number(value) == words
