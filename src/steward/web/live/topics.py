"""What a page can listen to: which events belong to which topic, and who may hear of it."""

import msgspec

from steward.bookings.model import READS as BOOKED
from steward.kit.security.permissions import Need, Permission
from steward.work_orders.model import READS


class Topic(msgspec.Struct, frozen=True):
    """With the narrower of two permissions one hears of one's own records alone, where `own` says so."""

    name: str
    permission: Need
    own: bool = False


ALERTS = Topic("alerts", Permission.IOT_READ)
_BY_EVENT: dict[str, Topic | None] = {
    "alert": ALERTS,
    "asset": Topic("assets", Permission.ASSETS_READ),
    # Values have an event of their own, for the assets that a page shows.
    "asset.telemetry": None,
    "booking": Topic("bookings", BOOKED),
    "sor.quotation": Topic("quotations", Permission.SOR_READ),
    "sor.schedule": Topic("schedules", Permission.SOR_READ),
    "visitor": Topic("visitors", Permission.VISITORS_READ),
    "workorder": Topic("work-orders", READS, own=True),
}
TOPICS: dict[str, Topic] = {topic.name: topic for topic in _BY_EVENT.values() if topic is not None}

# Who sees the values of assets.
VALUES_PERMISSIONS = frozenset({Permission.ASSETS_READ, Permission.IOT_READ})


def topic_of(event_type: str) -> Topic | None:
    """By the longest beginning of the type that the table knows."""
    name = event_type
    while name:
        if name in _BY_EVENT:
            return _BY_EVENT[name]
        name = name.rpartition(".")[0]
    return None
