"""What a page can listen to: which events belong to which topic, and who may hear of it."""

import msgspec

from steward.kit.security.permissions import Permission


class Topic(msgspec.Struct, frozen=True):
    name: str
    permission: Permission


ALERTS = Topic("alerts", Permission.IOT_READ)
_BY_EVENT: dict[str, Topic | None] = {
    "alert": ALERTS,
    "asset": Topic("assets", Permission.ASSETS_READ),
    # Values have an event of their own, for the assets that a page shows.
    "asset.telemetry": None,
    "booking": Topic("bookings", Permission.BOOKINGS_READ),
    "sor.quotation": Topic("quotations", Permission.SOR_READ),
    "sor.schedule": Topic("schedules", Permission.SOR_READ),
    "visitor": Topic("visitors", Permission.VISITORS_READ),
    "workorder": Topic("work-orders", Permission.WORK_ORDERS_READ),
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
