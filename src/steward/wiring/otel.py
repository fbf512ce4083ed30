"""Spans around the parts of a process, for the OpenTelemetry collector that is configured."""

from collections.abc import Mapping
from typing import cast

from steward.ingest.tracing import TracedBatchWriter
from steward.kit.events.outbox import trace_events
from steward.kit.tracing.events import trace_of
from steward.kit.tracing.jobs import traced_jobs
from steward.kit.tracing.provider import OtlpExport
from steward.kit.tracing.requests import observe, traced_app
from steward.kit.tracing.statements import TracedConnection
from steward.webhook_delivery.tracing import traced_attempts
from steward.wiring.tracing import A, Tracing


class OtelTracing(Tracing):
    connection_class = TracedConnection
    batch_writer = TracedBatchWriter
    observe = staticmethod(observe)
    jobs = staticmethod(traced_jobs)
    attempts = staticmethod(traced_attempts)

    def __init__(self, kind: str, environment: Mapping[str, str]) -> None:
        self._export = OtlpExport(kind, environment)
        trace_events(trace_of)

    def app(self, app: A) -> A:
        return cast(A, traced_app(app))

    async def stop(self, seconds: float) -> None:
        await self._export.stop(seconds)
