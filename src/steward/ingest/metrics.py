"""The metrics of incoming readings."""

from enum import StrEnum

from prometheus_client import Counter

from steward.kit.runtime.metrics import highest_gauge, summed_gauge


class DropReason(StrEnum):
    TOPIC = "topic"
    PAYLOAD = "payload"
    ASSET = "asset"
    COMMAND = "command"


READINGS = Counter("steward_readings_total", "Readings of devices that were stored or refused.")
READINGS_WAITING = highest_gauge(
    "steward_readings_waiting",
    "Readings that have arrived and are not stored yet, in the process with the longest queue.",
)
READINGS_DROPPED = Counter(
    "steward_readings_dropped_total",
    "Messages that can never become readings: a wrong topic, a payload that can't be read, an unknown asset.",
    ["source", "reason"],
)
for _reason in DropReason:
    READINGS_DROPPED.labels("mqtt", _reason)
MQTT_CONNECTED = summed_gauge(
    "steward_mqtt_connected",
    "Workers that are subscribed at the MQTT broker; absent if none is configured.",
    ["broker"],
)
