"""The metrics of partitions, the change feed and the disk."""

from steward.kit.runtime.metrics import newest_gauge

PARTITIONS_AHEAD = newest_gauge(
    "steward_partitions_ahead_seconds",
    "How far into the future partitions reach without a gap, by table; 0 if even the present has none.",
    ["table"],
)
FEED_HELD_BACK = newest_gauge(
    "steward_feed_held_back_seconds",
    "How long the change feed has been held back by an open transaction that is older than finished ones.",
)
DISK_FREE = newest_gauge(
    "steward_disk_free_bytes",
    "Free space on the fullest volume of the embedded database; absent without one.",
    ["volume"],
)
