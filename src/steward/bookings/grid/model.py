"""The grid's content: resources, and their bookings within a window."""

from typing import Literal

import msgspec

from steward.bookings.model import BookingStatus
from steward.bookings.resources.model import ResourceType
from steward.kit.domain.fields import Identifier, Record, Seconds

DAY_SECONDS = 86_400
# A week, plus an hour for a clock change.
MAX_WINDOW_SECONDS = 8 * DAY_SECONDS
MAX_RESOURCES = 100
MAX_BOOKINGS = 5000


class GridFilter(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Which resources are shown."""

    type: ResourceType | None = None
    location_id: Identifier | None = None


class DayQuery(GridFilter, frozen=True, kw_only=True):
    date: str | None = None
    view: Literal["day", "week"] = "day"


class GridQuery(GridFilter, frozen=True, kw_only=True):
    from_: Seconds = msgspec.field(name="from")
    to: Seconds


class GridResource(Record, frozen=True):
    id: str
    name: str
    # Its type and capacity.
    detail: str


class GridBooking(Record, frozen=True, kw_only=True):
    id: str
    resource_id: str
    title: str
    who: str | None
    start_time: int
    end_time: int
    status: BookingStatus
    # Whether this viewer may change its time.
    movable: bool


class Grid(Record, frozen=True):
    resources: list[GridResource]
    bookings: list[GridBooking]
    # Whether there is more than a grid shows.
    more: bool
