"""The queue of spans that wait to be exported. What finds it full is dropped, and counted."""

import threading
from collections.abc import Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from steward.kit.runtime.metrics import OTLP_SPANS_DROPPED
from steward.kit.runtime.otlp import OtlpOptions


class CountingSpanProcessor(BatchSpanProcessor):
    """Drops by itself what the SDK would drop without telling anybody."""

    def __init__(self, exporter: SpanExporter, options: OtlpOptions) -> None:
        self._room = _Room(options.queue_size)
        super().__init__(
            _LeavingExporter(exporter, self._room),
            max_queue_size=options.queue_size,
            schedule_delay_millis=options.delay_ms,
            max_export_batch_size=options.batch_size,
        )

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is None or not span.context.trace_flags.sampled:
            return
        if self._room.take():
            super().on_end(span)
        else:
            OTLP_SPANS_DROPPED.inc()


class _Room:
    """How many more spans may wait. It is never more than the SDK has room for, since that frees it first."""

    def __init__(self, size: int) -> None:
        self._free = size
        self._lock = threading.Lock()

    def take(self) -> bool:
        with self._lock:
            if self._free == 0:
                return False
            self._free -= 1
            return True

    def give_back(self, count: int) -> None:
        with self._lock:
            self._free += count


class _LeavingExporter(SpanExporter):
    def __init__(self, exporter: SpanExporter, room: _Room) -> None:
        self._exporter = exporter
        self._room = room

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        # They have left the queue, whatever becomes of them.
        self._room.give_back(len(spans))
        return self._exporter.export(spans)

    def shutdown(self) -> None:
        self._exporter.shutdown()
