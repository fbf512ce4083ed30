"""Feeds: the calendar of a resource under a secret address, for calendar programs."""

import msgspec

from steward.kit.domain.fields import Record
from steward.kit.security.rate_limiter import Limit

# The feed is public to whoever has the link, so its size has a bound.
MAX_ENTRIES = 10_000
# The first read of a large calendar costs seconds of a processor; programs ask every few minutes.
READS = Limit("calendar-reads", 30, 60, "reads of this calendar")


class CalendarLink(Record, frozen=True):
    url: str


class Entry(msgspec.Struct, frozen=True):
    """One booking, as much of it as the calendar shows."""

    booking_id: str
    title: str | None
    start_time: int
    end_time: int
    updated: int
