"""The metrics of Prometheus, under the same names, in the form of OTLP."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
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
) -> MetricsData:
    """Counters are cumulative since the process started."""
    metrics = [metric for family in families for metric in _metrics(family, since_ns, now_ns)]
    return MetricsData([ResourceMetrics(resource, [ScopeMetrics(_SCOPE, metrics, "")], "")])


def _metrics(family: Family, since_ns: int, now_ns: int) -> Iterator[Metric]:
    if not family.samples:
        return
    if family.type == "histogram":
        points = [_histogram_point(series, since_ns, now_ns) for series in _series(family)]
        data: Histogram | Sum | Gauge = Histogram(points, AggregationTemporality.CUMULATIVE)
        yield Metric(family.name, family.documentation, "", data)
        return
    by_name: dict[str, list[NumberDataPoint]] = {}
    for sample in family.samples:
        if not sample.name.endswith("_created"):
            point = NumberDataPoint(dict(sample.labels), since_ns, now_ns, sample.value)
            by_name.setdefault(sample.name, []).append(point)
    for name, number_points in by_name.items():
        if family.type == "counter":
            data = Sum(number_points, AggregationTemporality.CUMULATIVE, is_monotonic=True)
        else:
            data = Gauge(number_points)
        yield Metric(name, family.documentation, "", data)


def _series(family: Family) -> Iterable[list[Sample]]:
    """The samples of a histogram with the same labels."""
    found: dict[frozenset[tuple[str, str]], list[Sample]] = {}
    for sample in family.samples:
        found.setdefault(frozenset(_own_labels(sample).items()), []).append(sample)
    return found.values()


def _own_labels(sample: Sample) -> Mapping[str, str]:
    return {name: value for name, value in sample.labels.items() if name != "le"}


def _histogram_point(series: list[Sample], since_ns: int, now_ns: int) -> HistogramDataPoint:
    """Prometheus' buckets are cumulative, those of OTLP are not."""
    buckets = [(sample.labels["le"], sample.value) for sample in series if sample.name.endswith("_bucket")]
    totals = [value for _, value in buckets]
    counts = [int(total - before) for before, total in zip([0.0, *totals], totals, strict=False)]
    [seconds] = [sample.value for sample in series if sample.name.endswith("_sum")]
    return HistogramDataPoint(
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
