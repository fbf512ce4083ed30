"""Working time in wall-clock time: arithmetic over whole weeks, corrected for holidays.

Times here are seconds of a wall clock since 1970, as if it were never changed. A week begins on Monday. Every
question costs a few binary searches, however far apart two times are.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import accumulate
from typing import NamedTuple

_DAY = 86_400
_WEEK = 7 * _DAY
# The first of January 1970 was a Thursday.
_MONDAY = 3 * _DAY
_FIRST_DAY = date(1970, 1, 1).toordinal()


class Span(NamedTuple):
    """Working hours, in seconds from the beginning of their day."""

    start: int
    end: int


class WorkingTime:
    """`week` holds the spans of each day from Monday on; spans of a day may overlap, in any order."""

    def __init__(self, week: Sequence[Iterable[Span]], holidays: Iterable[date]) -> None:
        merged = [_merged(day) for day in week]
        spans = [
            Span(day * _DAY + span.start, day * _DAY + span.end)
            for day, of_day in enumerate(merged)
            for span in of_day
        ]
        self._starts = [span.start for span in spans]
        # Working time of the week up to the beginning of each span; the last value is the whole week.
        self._before = list(accumulate((span.end - span.start for span in spans), initial=0))
        self.per_week = self._before[-1]
        per_day = [sum(span.end - span.start for span in of_day) for of_day in merged]
        days = sorted({day.toordinal() - _FIRST_DAY for day in holidays})
        # A holiday on a day without hours changes nothing.
        self._holidays = [day * _DAY for day in days if per_day[(day + 3) % 7]]
        lost = (per_day[(begins // _DAY + 3) % 7] for begins in self._holidays)
        # Working time lost to holidays before each of them; the last value is the total.
        self._lost = list(accumulate(lost, initial=0))
        self._at_holidays = [
            self._regular(begins) - lost for begins, lost in zip(self._holidays, self._lost, strict=False)
        ]

    def until(self, time: int) -> int:
        """Working time since the beginning of the count; only differences are meaningful."""
        passed = bisect_right(self._holidays, time)
        if passed and time < self._holidays[passed - 1] + _DAY:
            return self._at_holidays[passed - 1]
        return self._regular(time) - self._lost[passed]

    def reached(self, worked: int, start: int) -> int:
        """The first time from `start` by which there is so much working time."""
        if self.until(start) >= worked:
            return start
        holidays = bisect_left(self._at_holidays, worked)
        weeks, rest = divmod(worked + self._lost[holidays] - 1, self.per_week)
        span = bisect_right(self._before, rest) - 1
        return weeks * _WEEK - _MONDAY + self._starts[span] + rest + 1 - self._before[span]

    def _regular(self, time: int) -> int:
        """Without holidays."""
        weeks, rest = divmod(time + _MONDAY, _WEEK)
        span = bisect_right(self._starts, rest) - 1
        if span < 0:
            return weeks * self.per_week
        within = min(self._before[span] + rest - self._starts[span], self._before[span + 1])
        return weeks * self.per_week + within


def _merged(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans):
        if span.start >= span.end:
            continue
        if found and span.start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found
