"""What Prometheus may read of things that have to be looked after."""

from prometheus_client import Gauge

PARTITIONS_AHEAD = Gauge(
    "steward_partitions_ahead_seconds",
    "For how long from now on there are partitions without a gap, by table; 0 where not even the present has one.",
    ["table"],
    multiprocess_mode="livemostrecent",
)
FEED_HELD_BACK = Gauge(
    "steward_feed_held_back_seconds",
    "For how long transactions have been over that the change feed can't show yet, because an older one is open.",
    multiprocess_mode="livemostrecent",
)
DISK_FREE = Gauge(
    "steward_disk_free_bytes",
    "What is free on the fullest volume of the embedded database; without one there is no such figure.",
    ["volume"],
    multiprocess_mode="livemostrecent",
)
