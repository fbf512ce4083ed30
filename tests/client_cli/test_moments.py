"""Times as people write them."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from steward_client.cli import moments

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 28, 15, 30, tzinfo=BERLIN)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int:
    return int(datetime(year, month, day, hour, minute, tzinfo=BERLIN).timestamp())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", int(NOW.timestamp())),
        ("1767225600", 1767225600),
        ("2026-11-20", at(2026, 11, 20)),
        ("2026-11-20 09:00", at(2026, 11, 20, 9)),
        ("2026-11-20T09:00", at(2026, 11, 20, 9)),
        ("2026-11-20T09:00Z", at(2026, 11, 20, 10)),
        ("2026-11-20T09:00+05:00", at(2026, 11, 20, 5)),
        ("09:00", at(2026, 3, 28, 9)),
        ("9:05", at(2026, 3, 28, 9, 5)),
        ("today", at(2026, 3, 28)),
        ("yesterday 23:59", at(2026, 3, 27, 23, 59)),
        # The night in which the clocks go forward lies between.
        ("tomorrow 09:00", at(2026, 3, 29, 9)),
        ("-2h", int(NOW.timestamp()) - 7200),
        ("+30m", int(NOW.timestamp()) + 1800),
        ("-1w", int(NOW.timestamp()) - 7 * 86400),
    ],
)
def test_times_are_parsed_as_people_write_them(text: str, expected: int) -> None:
    assert moments.moment(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "soon", "25:00", "9:60", "2026-13-01", "2h", "+h", "-0h", "12", "1.5h"])
def test_invalid_times_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        moments.moment(text, NOW)


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5400), ("24h", 86400), ("7 d", 604800), ("2w", 1209600)]
)
def test_spans(text: str, seconds: int) -> None:
    assert moments.span(text) == seconds


@pytest.mark.parametrize("text", ["", "0h", "-1h", "h", "1y", "1.5h"])
def test_invalid_time_ranges_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="90m"):
        moments.span(text)


@pytest.mark.parametrize("seconds", [10**30, -(10**15), -(10**30)])
def test_impossible_dates_are_shown_unchanged(seconds: int) -> None:
    assert moments.shown(seconds) == str(seconds)
