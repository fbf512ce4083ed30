"""The metrics of incoming readings."""

from enum import StrEnum

from prometheus_client import Counter, Gauge


class DropReason(StrEnum):
    TOPIC = "topic"
    PAYLOAD = "payload"
    ASSET = "asset"
    COMMAND = "command"


READINGS = Counter("steward_readings_total", "Readings of devices that were stored or refused.")
READINGS_WAITING = Gauge(
    "steward_readings_waiting",
    "Readings that have arrived and are not stored yet, in the process with the longest queue.",
    multiprocess_mode="livemax",
)
READINGS_DROPPED = Counter(
    "steward_readings_dropped_total",
    "Messages that can never become readings: a wrong topic, a payload that can't be read, an unknown asset.",
    ["source", "reason"],
)
for _reason in DropReason:
    READINGS_DROPPED.labels("mqtt", _reason)
MQTT_CONNECTED = Gauge(
    "steward_mqtt_connected",
    "Workers that are subscribed at the MQTT broker; absent if none is configured.",
    ["broker"],
    multiprocess_mode="livesum",
)
