"""The dates of a recurring booking, and the rules that are refused."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from steward.bookings.model import NewBooking
from steward.bookings.series import rules
from steward.kit.domain.problems import Invalid

BERLIN = ZoneInfo("Europe/Berlin")
HOUR = 3600


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=WEEKLY", "needs an end"),
        ("FREQ=WEEKLY;COUNT=2;UNTIL=20270101", "either COUNT or UNTIL"),
        ("FREQ=HOURLY;COUNT=2", "repeats by days at the most"),
        ("FREQ=FORTNIGHTLY;COUNT=2", "FREQ, which must be DAILY"),
        ("COUNT=2", "needs FREQ"),
        ("FREQ=WEEKLY;COUNT=367", "COUNT, which must be from 1 to 366"),
        ("FREQ=WEEKLY;COUNT=0", "COUNT"),
        ("FREQ=WEEKLY;INTERVAL=0;COUNT=2", "INTERVAL"),
        ("FREQ=WEEKLY;BYDAY=XX;COUNT=2", "BYDAY, which must name weekdays"),
        ("FREQ=WEEKLY;BYDAY=2MO;COUNT=2", "numbered day in BYDAY"),
        ("FREQ=WEEKLY;BYMONTHDAY=1;COUNT=2", "BYMONTHDAY, which does not go with FREQ=WEEKLY"),
        ("FREQ=DAILY;BYHOUR=9;COUNT=2", "BYHOUR, which is not taken here"),
        ("FREQ=MONTHLY;BYSETPOS=1;COUNT=2", "needs another part"),
        ("FREQ=MONTHLY;BYMONTHDAY=32;COUNT=2", "from 1 to 31 or their negatives"),
        ("FREQ=YEARLY;BYMONTH=-1;COUNT=2", "from 1 to 12"),
        ("FREQ=DAILY;UNTIL=20270230", "UNTIL, which must be a date"),
        ("FREQ=DAILY;COUNT=2;COUNT=3", "COUNT more than once"),
        ("every monday", "must be a rule such as"),
        ("FREQ=DAILY;UNTIL=20401231", "further than ten years"),
        ("FREQ=YEARLY;COUNT=20", "further than ten years"),
        ("FREQ=DAILY;UNTIL=20291231", "more than 366 dates"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=1", "names no day"),
        ("FREQ=DAILY;UNTIL=20260101", "ends before it begins"),
        (
            "FREQ=WEEKLY;BYDAY=TU;COUNT=2",
            "must be the first date of the recurrence, which would be 2026-11-17",
        ),
    ],
)
def test_a_refused_rule_says_why(rule: str, said: str) -> None:
    start = at(2026, 11, 16, 9)
    with pytest.raises(Invalid) as refused:
        rules.slots(
            NewBooking(resource_id="rsc_1", start_time=start, end_time=start + HOUR, recurrence=rule), BERLIN
        )
    assert said in refused.value.message


def at(*moment: int, zone: dt.tzinfo = BERLIN) -> int:
    return int(dt.datetime(*moment, tzinfo=zone).timestamp())  # type: ignore[arg-type,misc]


def starts(rule: str, start: int, *exceptions: str, zone: dt.tzinfo = BERLIN) -> list[str]:
    new = NewBooking(
        resource_id="rsc_1",
        start_time=start,
        end_time=start + HOUR,
        recurrence=rule,
        exceptions=list(exceptions),
    )
    found = rules.slots(new, zone)
    assert all(slot.end_time - slot.start_time == HOUR for slot in found)
    return [f"{dt.datetime.fromtimestamp(slot.start_time, zone):%m-%d %H:%M}" for slot in found]


def test_local_times_stay_the_same_over_daylight_saving() -> None:
    assert starts("FREQ=WEEKLY;COUNT=3", at(2026, 10, 19, 9)) == ["10-19 09:00", "10-26 09:00", "11-02 09:00"]
    assert starts("FREQ=DAILY;COUNT=3", at(2027, 3, 27, 2, 30)) == [
        "03-27 02:30",
        "03-28 03:30",
        "03-29 02:30",
    ]


@pytest.mark.parametrize(
    ("until", "dates"),
    [
        ("20261118", 3),
        ("20261118T090000", 3),
        ("20261118T085959", 2),
        ("20261118T080000Z", 3),
        ("20261118T075959Z", 2),
    ],
)
def test_until_is_the_last_moment_at_which_a_date_begins(until: str, dates: int) -> None:
    assert len(starts(f"RRULE:FREQ=DAILY;UNTIL={until}", at(2026, 11, 16, 9))) == dates


def test_excluded_dates_are_skipped_but_counted() -> None:
    start = at(2026, 12, 23, 9)
    assert starts("FREQ=DAILY;COUNT=4", start, "2026-12-24", "2030-01-01") == [
        "12-23 09:00",
        "12-25 09:00",
        "12-26 09:00",
    ]
    for wrong, field in (
        (["2026-13-01"], "exceptions[0]"),
        ([f"2026-12-2{n}" for n in (3, 4, 5, 6)], "exceptions"),
    ):
        with pytest.raises(Invalid) as refused:
            starts("FREQ=DAILY;COUNT=4", start, *wrong)
        assert refused.value.details[0].field == field
