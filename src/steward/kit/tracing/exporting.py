"""Sends traces and metrics to the collector, in threads of their own. One that is away costs what would have been sent, and a log
line a minute for each of the two; nobody waits for it."""

import logging
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import requests
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


class _Session(requests.Session):
    """Remembers what became of the last request, which the SDK tells nobody but its own log."""

    def __init__(self) -> None:
        super().__init__()
        self.begin()

    def begin(self) -> None:
        """Of the next export, nothing is known yet."""
        self.outcome = "nothing was sent"

    def request(self, *arguments: Any, **named: Any) -> requests.Response:
        try:
            response = super().request(*arguments, **named)
        except Exception as error:
            # Not its words: they hold the URL.
            self.outcome = type(error).__name__
            raise
        self.outcome = f"status {response.status_code}"
        return response


def _report(signal: str, endpoint: str, outcome: str, *, succeeded: bool) -> None:
    OTLP_EXPORTS.labels(signal, "sent" if succeeded else "failed").inc()
    if not succeeded:
        # Only where it is: whatever else stands in the URL may be secret.
        where = urlsplit(endpoint).netloc.rpartition("@")[2]
        error = ConnectionError(f"{where} doesn't take them: {outcome}")
        _FAULT_LOG.report(f"{signal} can't be exported", error)


class ReportingSpanExporter(SpanExporter):
    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._session = _Session()
        self._exporter = OTLPSpanExporter(session=self._session)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._session.begin()
        result = self._exporter.export(spans)
        succeeded = result is SpanExportResult.SUCCESS
        _report("traces", self._endpoint, self._session.outcome, succeeded=succeeded)
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
        self._session = _Session()
        self._exporter = OTLPMetricExporter(session=self._session)
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
        self._session.begin()
        result = self._exporter.export(data)
        succeeded = result is MetricExportResult.SUCCESS
        _report("metrics", self._endpoint, self._session.outcome, succeeded=succeeded)
