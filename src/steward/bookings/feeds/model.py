"""Feeds: the calendar of a resource under a secret address, for calendar programs."""

from typing import Annotated

import msgspec
from msgspec import Meta

from steward.kit.coordination.rate_limiter import Limit
from steward.kit.domain.fields import Identifier, Record, Seconds
from steward.kit.domain.list_query import PageQuery, Several

# The feed is public to everyone with the link, so its size is bounded.
MAX_ENTRIES = 10_000
# From a month back to a year ahead.
PAST_SECONDS = 30 * 86_400
FUTURE_SECONDS = 365 * 86_400
# The first read of a large calendar costs seconds of CPU; programs ask every few minutes.
READS = Limit("calendar-reads", 30, 60, "reads of this calendar")


class CalendarLink(Record, frozen=True):
    """As it is shown once."""

    url: Annotated[str, Meta(description="The whole address. It needs no other credentials.")]


class MadeCalendarLink(Record, frozen=True):
    """What is stored of a link; its address isn't."""

    resource_id: str
    created: Seconds


class CalendarLinkQuery(PageQuery, frozen=True):
    resource_id: Several[Identifier] | None = None


class Entry(msgspec.Struct, frozen=True):
    """One booking, as much of it as the calendar shows."""

    booking_id: str
    title: str | None
    start_time: int
    end_time: int
    updated: int
