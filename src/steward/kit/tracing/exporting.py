"""Sends traces and metrics to the collector, in threads of their own. One that is away costs what would have been sent, and one
log line a minute; nobody waits for it."""

import logging
import threading
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from prometheus_client import REGISTRY

from steward.kit.db.faults import FaultLog
from steward.kit.runtime.metrics import OTLP_EXPORTS
from steward.kit.tracing.figures import metrics_data

_FAULT_LOG = FaultLog()


def silence_sdk() -> None:
    """It would say the same again and again, each time another way."""
    for name in ("opentelemetry", "urllib3"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _report(signal: str, endpoint: str, *, succeeded: bool) -> None:
    OTLP_EXPORTS.labels(signal, "sent" if succeeded else "failed").inc()
    if not succeeded:
        # Only where it is: whatever else stands in the URL may be secret.
        where = urlsplit(endpoint).netloc.rpartition("@")[2]
        _FAULT_LOG.report(f"{signal} can't be exported", ConnectionError(f"{where} doesn't take them"))


class ReportingSpanExporter(SpanExporter):
    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._exporter = OTLPSpanExporter()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        _report("traces", self._endpoint, succeeded=result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]


class FigureExporter:
    """What Prometheus would read of this process, at an interval and once more at the end."""

    def __init__(self, endpoint: str, resource: Resource, seconds: float) -> None:
        self._endpoint = endpoint
        self._resource = resource
        self._seconds = seconds
        self._since_ns = time.time_ns()
        self._exporter = OTLPMetricExporter()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="metrics to OTLP", daemon=True)
        self._thread.start()

    def shutdown(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            stopping = self._stop.wait(self._seconds)
            self._export()
        self._exporter.shutdown()

    def _export(self) -> None:
        data = metrics_data(
            REGISTRY.collect(), self._resource, since_ns=self._since_ns, now_ns=time.time_ns()
        )
        result = self._exporter.export(data)
        _report("metrics", self._endpoint, succeeded=result is MetricExportResult.SUCCESS)
