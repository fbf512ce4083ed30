"""What Prometheus may read. One registry per process; names and help texts in one place."""

from functools import cache

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("steward_requests_total", "Requests answered.", ["route", "status"])
REQUEST_SECONDS = Histogram(
    "steward_request_seconds",
    "From the first byte of a request to the last of its answer.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


@cache
def request_figures(route: str, status: int) -> tuple[Counter, Histogram]:
    """The two figures of a route and status; looking them up by label costs more than counting."""
    return REQUESTS.labels(route, status), REQUEST_SECONDS.labels(route)


CONNECTIONS = Gauge(
    "steward_connections", "Connections of callers that are open.", multiprocess_mode="livesum"
)
CONNECTIONS_CLOSED = Counter(
    "steward_connections_closed_total",
    "Connections that ended because of what their callers did, or where there was no room for them.",
    ["reason"],
)

AUTHENTICATION_FAILURES = Counter("steward_authentication_failures_total", "Refused credentials.", ["kind"])
MEMORY_TRUSTED = Gauge(
    "steward_identity_memory_trusted",
    "1 while what is remembered of callers may be used.",
    multiprocess_mode="livemin",
)
# A process that remembers nothing has nothing that might be wrong.
MEMORY_TRUSTED.set(1)
LOOP_BLOCKED = Histogram(
    "steward_loop_blocked_seconds",
    "Times for which a route, a job or another task held the event loop, of those over 50 ms.",
    ["name"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 10),
)
JOB_RUNS = Counter("steward_job_runs_total", "Runs of the worker's jobs.", ["job", "outcome"])

DELIVERIES = Counter(
    "steward_deliveries_total", "What became of deliveries, attempt by attempt.", ["outcome"]
)
DELIVERY_ATTEMPTS = Counter(
    "steward_delivery_attempts_total", "Attempts to deliver: success, or the class of the error.", ["result"]
)
DELIVERY_SECONDS = Histogram(
    "steward_delivery_seconds",
    "From the making of an event to its successful delivery.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600, 3600, 36_000, 360_000),
)
DELIVERIES_IN_FLIGHT = Gauge(
    "steward_deliveries_in_flight", "Requests to receivers that are under way.", multiprocess_mode="livesum"
)
DELIVERIES_PAST_DUE = Gauge(
    "steward_deliveries_past_due",
    "Deliveries whose time has come; counted up to 1,000 for each webhook.",
    multiprocess_mode="mostrecent",
)
DELIVERIES_OLDEST_DUE = Gauge(
    "steward_deliveries_oldest_due_seconds",
    "How long the longest waiting delivery has been due.",
    multiprocess_mode="mostrecent",
)
DELIVERIES_MENDED = Counter(
    "steward_deliveries_mended_total",
    "Deliveries that had neither an end nor a next time, by cause.",
    ["cause"],
)

READINGS = Counter("steward_readings_total", "Readings of devices that were stored or refused.")
READINGS_WAITING = Gauge(
    "steward_readings_waiting",
    "Readings that have come in and are not stored yet.",
    multiprocess_mode="livesum",
)
READINGS_DROPPED = Counter(
    "steward_readings_dropped_total",
    "Messages that can never become readings: a wrong topic, a payload that can't be read, an asset that there isn't.",
    ["source", "reason"],
)
MQTT_CONNECTED = Gauge(
    "steward_mqtt_connected",
    "How many workers are subscribed at the MQTT broker.",
    multiprocess_mode="livesum",
)
