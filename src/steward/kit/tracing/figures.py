"""The metrics of Prometheus, under the same names, in the form of OTLP."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from opentelemetry.sdk.metrics import export as otlp
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.samples import Sample

from steward import __version__

# In OTLP minimum and maximum are optional, though the SDK's type says otherwise.
_NOT_KEPT: Any = None

_SCOPE = InstrumentationScope("steward", __version__)


def metrics_data(
    families: Iterable[Family], resource: Resource, *, since_ns: int, now_ns: int
) -> otlp.MetricsData:
    """Counters are cumulative since the process started."""
    metrics = [metric for family in families for metric in _metrics(family, since_ns, now_ns)]
    return otlp.MetricsData([otlp.ResourceMetrics(resource, [otlp.ScopeMetrics(_SCOPE, metrics, "")], "")])


def _metrics(family: Family, since_ns: int, now_ns: int) -> Iterator[otlp.Metric]:
    if not family.samples:
        return
    if family.type == "histogram":
        points = [_histogram_point(series, since_ns, now_ns) for series in _series(family)]
        data: otlp.Histogram | otlp.Sum | otlp.Gauge = otlp.Histogram(
            points, otlp.AggregationTemporality.CUMULATIVE
        )
        yield otlp.Metric(family.name, family.documentation, "", data)
        return
    by_name: dict[str, list[otlp.NumberDataPoint]] = {}
    for sample in family.samples:
        if not sample.name.endswith("_created"):
            point = otlp.NumberDataPoint(dict(sample.labels), since_ns, now_ns, sample.value)
            by_name.setdefault(sample.name, []).append(point)
    for name, number_points in by_name.items():
        if family.type == "counter":
            data = otlp.Sum(number_points, otlp.AggregationTemporality.CUMULATIVE, is_monotonic=True)
        else:
            data = otlp.Gauge(number_points)
        yield otlp.Metric(name, family.documentation, "", data)


def _series(family: Family) -> Iterable[list[Sample]]:
    """The samples of a histogram with the same labels."""
    found: dict[frozenset[tuple[str, str]], list[Sample]] = {}
    for sample in family.samples:
        found.setdefault(frozenset(_own_labels(sample).items()), []).append(sample)
    return found.values()


def _own_labels(sample: Sample) -> Mapping[str, str]:
    return {name: value for name, value in sample.labels.items() if name != "le"}


def _histogram_point(series: list[Sample], since_ns: int, now_ns: int) -> otlp.HistogramDataPoint:
    """Prometheus' buckets are cumulative, those of OTLP are not."""
    buckets = [(sample.labels["le"], sample.value) for sample in series if sample.name.endswith("_bucket")]
    totals = [value for _, value in buckets]
    counts = [int(total - before) for before, total in zip([0.0, *totals], totals, strict=False)]
    [seconds] = [sample.value for sample in series if sample.name.endswith("_sum")]
    return otlp.HistogramDataPoint(
        attributes=dict(_own_labels(series[0])),
        start_time_unix_nano=since_ns,
        time_unix_nano=now_ns,
        count=int(totals[-1]),
        sum=seconds,
        bucket_counts=counts,
        explicit_bounds=[float(bound) for bound, _ in buckets[:-1]],
        min=_NOT_KEPT,
        max=_NOT_KEPT,
    )
