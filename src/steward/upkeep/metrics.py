"""The metrics of partitions, the change feed and the disk."""

from prometheus_client import Gauge

PARTITIONS_AHEAD = Gauge(
    "steward_partitions_ahead_seconds",
    "How far into the future partitions reach without a gap, by table; 0 if even the present has none.",
    ["table"],
    multiprocess_mode="livemostrecent",
)
FEED_HELD_BACK = Gauge(
    "steward_feed_held_back_seconds",
    "How long the change feed has been held back by an open transaction that is older than finished ones.",
    multiprocess_mode="livemostrecent",
)
DISK_FREE = Gauge(
    "steward_disk_free_bytes",
    "Free space on the fullest volume of the embedded database; absent without one.",
    ["volume"],
    multiprocess_mode="livemostrecent",
)
