from steward.bookings.rules import DAY_SECONDS
from steward.bookings.slots import Slot

PAST_SECONDS = 30 * DAY_SECONDS
FUTURE_SECONDS = 365 * DAY_SECONDS


def feed_window(now: int) -> Slot:
    """The range of a calendar: from 30 days back to a year ahead."""
    return Slot(now - PAST_SECONDS, now + FUTURE_SECONDS)
