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


AUTHENTICATION_FAILURES = Counter("steward_authentication_failures_total", "Refused credentials.", ["kind"])
MEMORY_TRUSTED = Gauge(
    "steward_identity_memory_trusted",
    "1 while what is remembered of callers may be used.",
    multiprocess_mode="min",
)
JOB_RUNS = Counter("steward_job_runs_total", "Runs of the worker's jobs.", ["job", "outcome"])
