"""A span for stored events. Deliveries are its children, whenever and by whichever worker they are made."""

from collections.abc import Sequence

from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from steward.kit.events.event_types import Event
from steward.kit.tracing.spans import TRACER, traceparent

SYSTEM = "steward"


def trace_of(events: Sequence[Event]) -> str | None:
    """Unsampled traces too, so that their deliveries aren't sampled either. Outside of a trace, events start one with their deliveries."""
    if not events:
        return None
    types = sorted({event.type for event in events})
    attributes: dict[str, AttributeValue] = {
        "messaging.system": SYSTEM,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "create",
        "steward.event.types": types,
    }
    if len(events) == 1:
        attributes["messaging.message.id"] = events[0].id
    else:
        attributes["messaging.batch.message_count"] = len(events)
    name = f"publish {types[0]}" if len(types) == 1 else "publish events"
    span = TRACER.start_span(name, kind=SpanKind.PRODUCER, attributes=attributes)
    span.end()
    return traceparent(span.get_span_context())
