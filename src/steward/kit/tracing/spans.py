"""What all spans have in common."""

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanContext, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from steward import __version__

TRACER = trace.get_tracer("steward", __version__)

# Attributes that the semantic conventions don't define.
ORGANIZATION = "steward.organization.id"
REQUEST = "steward.request.id"

TRACEPARENT = "traceparent"
_PROPAGATOR = TraceContextTextMapPropagator()


def continued(headers: dict[str, str]) -> Context:
    """The parent context from W3C's headers; an empty one, whatever runs here, if there are none."""
    return _PROPAGATOR.extract(headers, Context())


def traceparent(context: SpanContext) -> str:
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def fail(span: Span, error: BaseException) -> None:
    """Records the type alone: the text of an error may hold request data."""
    fail_as(span, type(error).__qualname__)


def fail_as(span: Span, kind: str) -> None:
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))
