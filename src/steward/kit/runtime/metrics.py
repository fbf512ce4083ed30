"""What Prometheus may read of the server and its jobs; each package beside the kit has figures of its own in its `metrics.py`.

A counter that an alert watches is made with its labels where these are known beforehand, and so begins at 0: Prometheus can't
see the increase of one that isn't there before it is 1.
"""

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
REFUSED_CREDENTIALS = AUTHENTICATION_FAILURES.labels("credential")
REFUSED_PASSWORDS = AUTHENTICATION_FAILURES.labels("password")
CACHE_TRUSTED = Gauge(
    "steward_identity_memory_trusted",
    "1 while what is remembered of callers may be used.",
    multiprocess_mode="livemin",
)
# A process that remembers nothing has nothing that might be wrong.
CACHE_TRUSTED.set(1)
LOOP_BLOCKED = Histogram(
    "steward_loop_blocked_seconds",
    "Times for which a route, a job or another task held the event loop, of those over 50 ms.",
    ["name"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 10),
)
REPLICA_READS = Counter(
    "steward_replica_reads_total",
    "Statements of long reads, by who answered them: a replica, or the primary where none could.",
    ["answered_by"],
)
JOB_RUNS = Counter("steward_job_runs_total", "Runs of the worker's jobs.", ["job", "outcome"])

POOL_SIZE = Gauge(
    "steward_pool_size",
    "Connections to the database that pools of this name may have.",
    ["pool"],
    multiprocess_mode="livesum",
)
POOL_OPEN = Gauge(
    "steward_pool_open", "Connections to the database that are open.", ["pool"], multiprocess_mode="livesum"
)
POOL_IN_USE = Gauge(
    "steward_pool_in_use",
    "Connections to the database with which somebody works, at the moment of looking.",
    ["pool"],
    multiprocess_mode="livesum",
)
POOL_WAITING = Gauge(
    "steward_pool_waiting",
    "How many wait for a connection to the database, at the moment of looking.",
    ["pool"],
    multiprocess_mode="livesum",
)
POOL_ACQUIRE_SECONDS = Histogram(
    "steward_pool_acquire_seconds",
    "How long those waited for a connection who found none idle: for a new one, or for one to become free.",
    ["pool"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
BUILD_INFO = Gauge(
    "steward_build_info",
    "1, with the version that runs and the newest migration that it knows.",
    ["version", "schema"],
    multiprocess_mode="livemax",
)
PROCESS_STARTS = Counter(
    "steward_process_starts_total",
    "Processes that were started, by kind; under `steward up` those that took the place of others are added up.",
    ["kind"],
)
PROCESSES = Gauge(
    "steward_processes",
    "Processes over this database that give signs of life, by kind, on all machines.",
    ["kind"],
    multiprocess_mode="livemostrecent",
)
DATABASE_REACHABLE = Gauge(
    "steward_database_reachable",
    "1 while the database answers this process; it is asked every 15 seconds.",
    multiprocess_mode="livemin",
)
OTLP_EXPORTS = Counter(
    "steward_otlp_exports_total",
    "Batches of traces and metrics for the OTLP endpoint, by what became of them.",
    ["signal", "outcome"],
)
for _signal in ("traces", "metrics"):
    for _outcome in ("sent", "failed"):
        OTLP_EXPORTS.labels(_signal, _outcome)
