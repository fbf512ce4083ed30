"""The metrics of the server and its jobs; other packages have metrics of their own in their `metrics.py`.

A counter that an alert watches is created with its labels if these are known beforehand, and so starts at 0: Prometheus can't
see an increase from absent to 1.
"""

from collections.abc import Iterable, Iterator
from functools import cache, partial

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics_core import Metric

# One figure from those of all processes that live.
summed_gauge = partial(Gauge, multiprocess_mode="livesum")
highest_gauge = partial(Gauge, multiprocess_mode="livemax")
lowest_gauge = partial(Gauge, multiprocess_mode="livemin")
newest_gauge = partial(Gauge, multiprocess_mode="livemostrecent")

# Metrics that have a new name, exported under the old one, too, for one release.
OLD_NAMES = {
    "steward_caches_trusted": "steward_identity_memory_trusted",
    "steward_deliveries_repaired": "steward_deliveries_mended",
}


def with_old_names(metrics: Iterable[Metric]) -> Iterator[Metric]:
    for metric in metrics:
        yield metric
        if (old := OLD_NAMES.get(metric.name)) is not None:
            renamed = Metric(old, f"Old name of {metric.name}.", metric.type)
            renamed.samples = [
                sample._replace(name=sample.name.replace(metric.name, old, 1)) for sample in metric.samples
            ]
            yield renamed


REQUESTS = Counter("steward_requests_total", "Requests answered.", ["route", "status"])
REQUEST_SECONDS = Histogram(
    "steward_request_seconds",
    "Time from the first byte of a request to the last byte of its answer.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


@cache
def request_figures(route: str, status: int) -> tuple[Counter, Histogram]:
    """The two metrics of a route and status; looking them up by label costs more than counting."""
    return REQUESTS.labels(route, status), REQUEST_SECONDS.labels(route)


CONNECTIONS = summed_gauge("steward_connections", "Open client connections.")
CONNECTIONS_CLOSED = Counter(
    "steward_connections_closed_total",
    "Client connections closed because of a client error or a limit, by reason.",
    ["reason"],
)

AUTHENTICATION_FAILURES = Counter("steward_authentication_failures_total", "Refused credentials.", ["kind"])
REFUSED_CREDENTIALS = AUTHENTICATION_FAILURES.labels("credential")
REFUSED_PASSWORDS = AUTHENTICATION_FAILURES.labels("password")
CACHE_TRUSTED = lowest_gauge(
    "steward_caches_trusted", "1 while the caches of callers are known to be up to date and may be used."
)
# A process without caches has none that could be stale.
CACHE_TRUSTED.set(1)
LOOP_BLOCKED = Histogram(
    "steward_loop_blocked_seconds",
    "How long a route, a job or another task blocked the event loop, if over 50 ms.",
    ["name"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 10),
)
REPLICA_READS = Counter(
    "steward_replica_reads_total",
    "Statements of long reads, by who answered them: a replica, or the primary if none could.",
    ["answered_by"],
)
JOB_RUNS = Counter("steward_job_runs_total", "Runs of the worker's jobs.", ["job", "outcome"])

POOL_SIZE = summed_gauge(
    "steward_pool_size", "Connections to the database that pools of this name may have.", ["pool"]
)
POOL_OPEN = summed_gauge("steward_pool_open", "Connections to the database that are open.", ["pool"])
POOL_IN_USE = summed_gauge(
    "steward_pool_in_use", "Connections to the database in use at the moment of the scrape.", ["pool"]
)
POOL_WAITING = summed_gauge(
    "steward_pool_waiting",
    "Tasks that wait for a connection to the database at the moment of the scrape.",
    ["pool"],
)
POOL_ACQUIRE_SECONDS = Histogram(
    "steward_pool_acquire_seconds",
    "How long tasks that found no idle connection waited for one.",
    ["pool"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
BUILD_INFO = highest_gauge(
    "steward_build_info",
    "1, with the running version and the newest migration that it knows.",
    ["version", "schema"],
)
PROCESS_STARTS = Counter(
    "steward_process_starts_total",
    "Processes that were started, by kind; under `steward up` with those that replaced others.",
    ["kind"],
)
PROCESSES = newest_gauge(
    "steward_processes",
    "Processes with a current heartbeat in this database, by kind, on all machines.",
    ["kind"],
)
DATABASE_REACHABLE = lowest_gauge(
    "steward_database_reachable", "1 while the database answers this process; checked every 15 seconds."
)
OTLP_EXPORTS = Counter(
    "steward_otlp_exports_total",
    "Batches of traces and metrics for the OTLP endpoint, by outcome.",
    ["signal", "outcome"],
)
for _signal in ("traces", "metrics"):
    for _outcome in ("sent", "failed"):
        OTLP_EXPORTS.labels(_signal, _outcome)
