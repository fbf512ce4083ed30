"""Dates of rules, compared with dateutil, and with the RFC where dateutil differs from it."""

import datetime as dt
from itertools import islice, takewhile

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given
from hypothesis import strategies as st

from steward.kit.domain.recurrence.dates import MAX_DAYS, dates
from steward.kit.domain.recurrence.rule import RecurrenceError, parse

RULES = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3",
    "FREQ=DAILY;BYMONTH=1,2;BYDAY=MO,TU",
    "FREQ=DAILY;BYMONTHDAY=1,-1",
    "FREQ=WEEKLY",
    "FREQ=WEEKLY;INTERVAL=2",
    "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU",
    "FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=TU,SU",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    "FREQ=WEEKLY;BYMONTH=3",
    "FREQ=MONTHLY",
    "FREQ=MONTHLY;INTERVAL=5",
    "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=MONTHLY;BYMONTHDAY=-1,-31",
    "FREQ=MONTHLY;BYDAY=2TU",
    "FREQ=MONTHLY;BYDAY=-1FR,1MO",
    "FREQ=MONTHLY;BYDAY=5SU",
    "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
    "FREQ=MONTHLY;BYDAY=SA,SU;BYMONTH=6,7;BYSETPOS=1,-1",
    "FREQ=YEARLY",
    "FREQ=YEARLY;BYMONTH=2",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29",
    "FREQ=YEARLY;BYMONTHDAY=1,15",
    "FREQ=YEARLY;INTERVAL=2;BYMONTH=1;BYDAY=1SU,-1SU",
    "FREQ=YEARLY;BYDAY=20MO,-2FR",
    "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
    "FREQ=YEARLY;BYYEARDAY=1,100,200,-1,366",
    "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    "FREQ=YEARLY;INTERVAL=3;BYMONTH=5;BYMONTHDAY=1,2,3;BYSETPOS=2",
]


@pytest.mark.parametrize("first", [dt.date(2026, 11, 16), dt.date(2028, 2, 29), dt.date(2027, 1, 31)])
@pytest.mark.parametrize("rule", RULES)
def test_rule_names_the_same_dates_as_dateutil(rule: str, first: dt.date) -> None:
    begin = dt.datetime.combine(first, dt.time())
    last = first + dt.timedelta(days=3000)
    others = takewhile(lambda day: day <= last, (moment.date() for moment in rrulestr(rule, dtstart=begin)))
    assert list(islice(dates(parse(rule), first, last), 60)) == list(islice(others, 60))


def _part(name: str, values: list, most: int = 4) -> st.SearchStrategy[str]:
    some = st.lists(st.sampled_from(values), min_size=1, max_size=most, unique=True)
    return st.just("") | some.map(lambda chosen: f";{name}=" + ",".join(map(str, chosen)))


def _counted(most: int) -> list[int]:
    return [*range(1, most + 1), *range(-most, 0)]


_DAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
_NUMBERED = [f"{number}{day}" for number in (-5, -4, -1, 1, 2, 4, 5) for day in _DAYS]
_RULES = st.builds(
    "FREQ={}{}{}{}{}{}{}{}".format,
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.just("") | st.integers(1, 30).map(";INTERVAL={}".format),
    _part("BYMONTH", list(range(1, 13))),
    _part("BYMONTHDAY", _counted(31)),
    _part("BYYEARDAY", _counted(366)),
    _part("BYWEEKNO", _counted(53)),
    _part("BYDAY", _DAYS) | _part("BYDAY", _NUMBERED),
    _part("BYSETPOS", _counted(6)),
)


@given(_RULES, st.dates(dt.date(2026, 1, 1), dt.date(2040, 12, 31)))
def test_any_rule_names_the_same_dates_as_dateutil(text: str, first: dt.date) -> None:
    try:
        rule = parse(text)
    except RecurrenceError:
        assume(False)
    # dateutil names every day of a week that is numbered, and counts positions in the first week from the first date.
    assume(not rule.by_week or rule.by_day or rule.by_month_day or rule.by_year_day)
    assume(not (rule.frequency == "WEEKLY" and rule.by_position))
    last = first + dt.timedelta(days=MAX_DAYS)
    found = list(islice(dates(rule, first, last), 20))
    # dateutil only ends at a date, so it is not asked where there is none.
    others = rrulestr(text, dtstart=dt.datetime.combine(first, dt.time()))
    assert found == [moment.date() for moment in islice(others, len(found))]


@pytest.mark.parametrize(
    ("rule", "first", "expected"),
    [
        # A fiftieth Wednesday of a month: dateutil fails.
        ("FREQ=MONTHLY;BYDAY=50WE", "2026-01-01", []),
        # The week of Tuesday, 26 July, has its third day on Wednesday.
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH;BYSETPOS=3", "2033-07-26", ["2033-07-27", "2033-08-03"]),
        # The weekday is that of the first date.
        ("FREQ=YEARLY;BYWEEKNO=45", "2031-03-21", ["2031-11-07", "2032-11-05"]),
        # Impossible days. dateutil looks for them up to the year 9999.
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "2026-01-01", []),
        ("FREQ=YEARLY;BYMONTH=5;BYYEARDAY=366", "2026-01-01", []),
    ],
)
def test_rule_names_dates_by_the_rfc(rule: str, first: str, expected: list[str]) -> None:
    begin = dt.date.fromisoformat(first)
    found = islice(dates(parse(rule), begin, begin + dt.timedelta(days=MAX_DAYS)), 2)
    assert [day.isoformat() for day in found] == expected


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO"])
def test_rule_needs_no_end(rule: str) -> None:
    assert (parse(rule).count, parse(rule).until) == (None, None)
