"""An OpenTelemetry collector, as far as processes of ours can tell, and a receiver of webhooks beside it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.waiting import wait_for


class SentRequest(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


class Listener(ThreadingHTTPServer):
    """Remembers whatever is posted to it."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[SentRequest] = []
        self.status = 200

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.got.append(SentRequest(self.path, headers, body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: Any) -> None:
        pass


@contextmanager
def listening() -> Iterator[Listener]:
    listener = Listener()
    thread = threading.Thread(target=listener.serve_forever, daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        listener.shutdown()
        thread.join()
        listener.server_close()


class ReceivedSpan(NamedTuple):
    trace: str
    id: str
    parent: str
    name: str
    kind: int
    failed: bool
    process: str
    links: list[str]
    attributes: dict[str, Any]


def spans(collector: Listener) -> list[ReceivedSpan]:
    """All that have come so far."""
    found = []
    for sent in [sent for sent in collector.got if sent.path == "/v1/traces"]:
        for resource in ExportTraceServiceRequest.FromString(sent.body).resource_spans:
            process = _values(resource.resource.attributes)["steward.process.kind"]
            found += [_span(span, process) for scope in resource.scope_spans for span in scope.spans]
    return found


def _span(span: Any, process: str) -> ReceivedSpan:
    return ReceivedSpan(
        trace=span.trace_id.hex(),
        id=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        name=span.name,
        kind=span.kind,
        failed=span.status.code == 2,
        process=process,
        links=[link.trace_id.hex() for link in span.links],
        attributes=_values(span.attributes),
    )


def _values(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


def wait_for_span(collector: Listener, what: Callable[[ReceivedSpan], bool]) -> ReceivedSpan:
    return wait_for("a span", lambda: list(filter(what, spans(collector))))[0]


def metrics(collector: Listener) -> dict[str, dict[str, Any]]:
    """By kind of process and name, what came last."""
    found: dict[str, dict[str, Any]] = {}
    for sent in [sent for sent in collector.got if sent.path == "/v1/metrics"]:
        for resource in ExportMetricsServiceRequest.FromString(sent.body).resource_metrics:
            process = _values(resource.resource.attributes)["steward.process.kind"]
            by_name = found.setdefault(process, {})
            for scope in resource.scope_metrics:
                by_name |= {metric.name: metric for metric in scope.metrics}
    return found
