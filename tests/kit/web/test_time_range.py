from zoneinfo import ZoneInfo

import pytest

from steward.kit.domain.problems import Invalid
from steward.kit.web.time_range import TimeRange, time_range

BERLIN = ZoneInfo("Europe/Berlin")
NOW = 1_767_225_600


def test_a_span_ends_with_the_second_that_has_begun() -> None:
    assert time_range({}, BERLIN, NOW) == TimeRange("24h", NOW + 1 - 86_400, NOW + 1)
    assert time_range({"range": "7d"}, BERLIN, NOW).start == NOW + 1 - 7 * 86_400


def test_a_custom_time_range_is_in_the_viewers_time_zone() -> None:
    own = {"range": "own", "from": "2026-01-01T00:00", "to": "2026-01-01T01:00"}
    assert time_range(own, BERLIN, NOW) == TimeRange("own", 1_767_222_000, 1_767_225_600)


@pytest.mark.parametrize(
    ("start", "end", "fields"),
    [
        ("", "", ["from", "to"]),
        ("yesterday", "2026-01-01T00:00", ["from"]),
        ("1960-01-01T00:00", "2026-01-01T00:00", ["from"]),
        ("2026-01-01T00:00", "2026-01-01T00:00", ["to"]),
        ("2026-01-02T00:00", "2026-01-01T00:00", ["to"]),
    ],
)
def test_invalid_times_are_reported_by_field(start: str, end: str, fields: list[str]) -> None:
    with pytest.raises(Invalid) as refused:
        time_range({"range": "own", "from": start, "to": end}, BERLIN, NOW)
    assert [detail.field for detail in refused.value.details] == fields


def test_another_span_is_refused() -> None:
    with pytest.raises(Invalid):
        time_range({"range": "1y"}, BERLIN, NOW)
