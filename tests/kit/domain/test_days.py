from datetime import date
from zoneinfo import ZoneInfo

import pytest

from steward.kit.domain.days import date_of, day_named, end_of, midnight
from steward.kit.domain.problems import Invalid

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 11, 16), 24)]
)
def test_a_day_has_the_hours_of_the_clock_on_the_wall(day: date, hours: int) -> None:
    start, end = midnight(day, BERLIN), end_of(day, BERLIN)
    assert end - start == hours * 3600
    assert (date_of(start, BERLIN), date_of(end - 1, BERLIN)) == (day, day)
    assert date_of(start - 1, BERLIN) < day < date_of(end, BERLIN)


@pytest.mark.parametrize("text", ["", "2026-02-30", "16.11.2026", "today"])
def test_invalid_days_are_reported(text: str) -> None:
    with pytest.raises(Invalid, match="since must be a date"):
        day_named("since", text)
