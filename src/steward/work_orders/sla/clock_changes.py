"""When a time zone's clocks change, and its UTC offset in between."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

# Two changes are at least a week apart in every zone and year from 2000 on (Gaza, around Ramadan).
_STEP_SECONDS = 5 * 86_400


def stretches(timezone: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, seconds ahead of UTC) of each part of a range without a clock change, in order."""
    zone = ZoneInfo(timezone)
    begins, offset = start, _offset(zone, start)
    for year in range(_utc(start).year, _utc(end).year + 1):
        for moment, after in _changes(timezone, year):
            if begins < moment < end:
                yield begins, moment, offset
                begins, offset = moment, after
            elif moment >= end:
                break
    yield begins, end, offset


@lru_cache(maxsize=2048)
def _changes(timezone: str, year: int) -> tuple[tuple[int, int], ...]:
    """The times of a year at which the clocks change, each with the offset from then on."""
    zone = ZoneInfo(timezone)
    begins = _year_begins(year) - 1
    ends = _year_begins(year + 1) - 1
    found = []
    while begins < ends:
        next_look = min(begins + _STEP_SECONDS, ends)
        if _offset(zone, next_look) != _offset(zone, begins):
            moment = _first_other(zone, begins, next_look)
            found.append((moment, _offset(zone, moment)))
        begins = next_look
    return tuple(found)


def _first_other(zone: ZoneInfo, last_same: int, other: int) -> int:
    before = _offset(zone, last_same)
    while other - last_same > 1:
        middle = (last_same + other) // 2
        if _offset(zone, middle) == before:
            last_same = middle
        else:
            other = middle
    return other


def _offset(zone: ZoneInfo, moment: int) -> int:
    ahead = datetime.fromtimestamp(moment, zone).utcoffset()
    return 0 if ahead is None else int(ahead.total_seconds())


def _utc(moment: int) -> datetime:
    return datetime.fromtimestamp(moment, UTC)


def _year_begins(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
