"""Pure: which parts of the page are for whom, and how the backlog came to be what it is."""

from collections.abc import Mapping
from datetime import tzinfo

import msgspec

from steward.bookings.model import READS as BOOKED
from steward.kit.domain.days import date_of, end_of, midnight
from steward.kit.security.permissions import Permission, is_met
from steward.work_orders.model import READS

_P = Permission
AT_RISK_SECONDS = 4 * 3600


class DaySpan(msgspec.Struct, frozen=True):
    start: int
    end: int


def day_of(now: int, zone: tzinfo) -> DaySpan:
    """The day of a moment, where somebody is."""
    day = date_of(now, zone)
    return DaySpan(midnight(day, zone), end_of(day, zone))


class TodayParts(msgspec.Struct, frozen=True):
    """A technician sees their own work, a manager what is late everywhere, reception who comes, a requester what they asked for."""

    assigned: bool
    requests: bool
    everything: bool
    devices: bool
    bookings: bool
    visitors: bool

    @classmethod
    def of(cls, permissions: frozenset[Permission]) -> "TodayParts":
        orders, manages = _P.WORK_ORDERS_READ in permissions, _P.ORGANIZATION_READ in permissions
        return cls(
            assigned=orders and _P.WORK_ORDERS_WRITE in permissions and _P.USERS_READ in permissions,
            requests=is_met(READS, permissions) and not manages and _P.ASSETS_WRITE not in permissions,
            everything=orders and manages,
            devices=_P.IOT_READ in permissions,
            bookings=is_met(BOOKED, permissions),
            visitors=_P.VISITORS_READ in permissions,
        )


def backlog_by_day(open_now: int, made: Mapping[int, int], closed: Mapping[int, int], days: int) -> list[int]:
    """How many orders were open at the end of each day, counted back from today."""
    found = []
    for day in reversed(range(days)):
        found.append(open_now)
        open_now -= made.get(day, 0) - closed.get(day, 0)
    return [max(0, count) for count in reversed(found)]
