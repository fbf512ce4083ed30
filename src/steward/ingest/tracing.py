"""A span for each batch of readings. It is part of the request that it stores for, or linked with all of those that it does.

Needs OpenTelemetry's SDK, and is loaded only where a collector is configured.
"""

from collections.abc import Awaitable, Sequence

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link

from steward.ingest.batch_writer import BatchRequest, BatchWriter, Outcome
from steward.ingest.model import Reading
from steward.kit.tracing.spans import TRACER

_MAX_LINKS = 32


class TracedBatchWriter(BatchWriter):
    def write(self, readings: Sequence[Reading]) -> Awaitable[list[Outcome]]:
        waiting = super().write(readings)
        # Nothing has run since, so that it is still the last.
        self._queue[-1].origin = trace.get_current_span().get_span_context()
        return waiting

    async def _store_batch(self, batch: Sequence[BatchRequest]) -> None:
        origins = [one.origin for one in batch if one.origin is not None and one.origin.is_valid]
        context, links = Context(), [Link(origin) for origin in origins[:_MAX_LINKS]]
        if len(batch) == len(origins) == 1:
            context, links = trace.set_span_in_context(trace.NonRecordingSpan(origins[0]), context), []
        count = sum(len(request.readings) for request in batch)
        with TRACER.start_as_current_span(
            "store readings",
            context,
            attributes={"messaging.batch.message_count": count},
            links=links,
            record_exception=False,
        ):
            await super()._store_batch(batch)
