"""The metrics of deliveries."""

from prometheus_client import Counter, Gauge, Histogram

from steward.kit.runtime.metrics import summed_gauge
from steward.webhook_delivery.model import ErrorClass

DELIVERIES = Counter(
    "steward_deliveries_total", "Attempts to deliver by the status of the delivery after them.", ["outcome"]
)
DELIVERY_ATTEMPTS = Counter(
    "steward_delivery_attempts_total",
    "Attempts to deliver by result: success, or the class of the error.",
    ["result"],
)
for _result in ("success", *ErrorClass):
    DELIVERY_ATTEMPTS.labels(_result)
DELIVERY_SECONDS = Histogram(
    "steward_delivery_seconds",
    "Time from the creation of an event to its successful delivery.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 36_000, 360_000),
)
DELIVERIES_IN_FLIGHT = summed_gauge("steward_deliveries_in_flight", "Requests to receivers in flight.")
DELIVERIES_PAST_DUE = Gauge(
    "steward_deliveries_past_due",
    "Deliveries that are due; counted up to 1,000 for each webhook.",
    multiprocess_mode="mostrecent",
)
DELIVERIES_OLDEST_DUE = Gauge(
    "steward_deliveries_oldest_due_seconds",
    "How long the longest waiting delivery has been due.",
    multiprocess_mode="mostrecent",
)
DELIVERIES_REPAIRED = Counter(
    "steward_deliveries_repaired_total",
    "Deliveries that were neither finished nor due and had to be repaired, by cause.",
    ["cause"],
)
REPAIRED_WITHOUT_DUE = DELIVERIES_REPAIRED.labels("no_next_time")
