"""What Prometheus may read of readings on their way in."""

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
    "Readings that have come in and are not stored yet, of the process where most of them wait: each has a queue of its own.",
    multiprocess_mode="livemax",
)
READINGS_DROPPED = Counter(
    "steward_readings_dropped_total",
    "Messages that can never become readings: a wrong topic, a payload that can't be read, an asset that there isn't.",
    ["source", "reason"],
)
for _reason in DropReason:
    READINGS_DROPPED.labels("mqtt", _reason)
MQTT_CONNECTED = Gauge(
    "steward_mqtt_connected",
    "How many workers are subscribed at the MQTT broker; where none is configured there is no such figure.",
    ["broker"],
    multiprocess_mode="livesum",
)
