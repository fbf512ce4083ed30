"""Sends traces and metrics to the collector with the exporters of the OpenTelemetry SDK, in threads of their own."""

import logging
import threading
import time
from collections.abc import Callable, Sequence

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics.export import MetricExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from prometheus_client import REGISTRY

from steward.kit.db.faults import FaultLog
from steward.kit.runtime.metrics import OTLP_EXPORTS, with_old_names
from steward.kit.tracing.figures import metrics_data


class SdkLog(logging.Handler):
    """Writes the SDK's warnings to our log, at most one a minute from each of its modules."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._faults = FaultLog()

    def emit(self, record: logging.LogRecord) -> None:
        given = record.args if isinstance(record.args, tuple) else ()
        # Errors only by their type: their text may hold the collector's URL, which may hold a secret.
        shown = [type(one).__name__ if isinstance(one, Exception) else one for one in given]
        module = record.name.rpartition(".")[2]
        self._faults.report(f"OpenTelemetry {module}", ConnectionError(str(record.msg) % tuple(shown)))


def log_sdk_warnings() -> None:
    sdk = logging.getLogger("opentelemetry")
    sdk.handlers, sdk.propagate = [SdkLog()], False
    logging.getLogger("urllib3").setLevel(logging.ERROR)


class CountedSpanExporter(OTLPSpanExporter):
    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = super().export(spans)
        OTLP_EXPORTS.labels("traces", "sent" if result is SpanExportResult.SUCCESS else "failed").inc()
        return result


def export_figures(resource: Resource, seconds: float) -> Callable[[], None]:
    """Exports the metrics that Prometheus would read from this process, at an interval; what it returns does so once more
    and ends it."""
    exporter, since_ns, stop = OTLPMetricExporter(), time.time_ns(), threading.Event()

    def run() -> None:
        stopping = False
        while not stopping:
            stopping = stop.wait(seconds)
            families = with_old_names(REGISTRY.collect())
            data = metrics_data(families, resource, since_ns=since_ns, now_ns=time.time_ns())
            sent = exporter.export(data) is MetricExportResult.SUCCESS
            OTLP_EXPORTS.labels("metrics", "sent" if sent else "failed").inc()
        exporter.shutdown()

    thread = threading.Thread(target=run, name="metrics to OTLP", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end
