"""Spans that find the queue full are counted."""

import threading
from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF, ALWAYS_ON, Sampler
from prometheus_client import REGISTRY
from tests.support.waiting import limit

from steward.kit.runtime.otlp import otlp_options
from steward.kit.tracing.span_queue import CountingSpanProcessor

_SIZE = 4
_OPTIONS = otlp_options({"OTEL_BSP_MAX_QUEUE_SIZE": str(_SIZE)})


class HangingExporter(SpanExporter):
    """Takes a batch and keeps it until it is told to go on."""

    def __init__(self) -> None:
        self.exported = 0
        self.busy = threading.Event()
        self.go_on = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.busy.set()
        self.go_on.wait(limit(60))
        self.exported += len(spans)
        return SpanExportResult.SUCCESS


def _dropped() -> float:
    return REGISTRY.get_sample_value("steward_otlp_spans_dropped_total") or 0


def _end_spans(provider: TracerProvider, count: int) -> None:
    tracer = provider.get_tracer("test")
    for _ in range(count):
        tracer.start_span("one").end()


@pytest.mark.parametrize(("sampler", "dropped"), [(ALWAYS_ON, 3), (ALWAYS_OFF, 0)])
def test_a_span_is_sent_or_counted_as_dropped(sampler: Sampler, dropped: int) -> None:
    exporter, before = HangingExporter(), _dropped()
    provider = TracerProvider(sampler, shutdown_on_exit=False)
    provider.add_span_processor(CountingSpanProcessor(exporter, _OPTIONS))
    # The first batch is on its way, the second fills the queue.
    _end_spans(provider, _SIZE)
    if dropped:
        assert exporter.busy.wait(limit(60))
    _end_spans(provider, _SIZE + dropped)
    assert _dropped() - before == dropped
    exporter.go_on.set()
    provider.shutdown()
    assert exporter.exported == (2 * _SIZE if dropped else 0)
