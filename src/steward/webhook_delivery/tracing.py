"""A span for each attempt to deliver, which is a part of the trace in which its event came about and goes on at the receiver.

Needs OpenTelemetry's SDK, and is loaded only where a collector is configured. URLs of receivers may hold secrets and are not
told, only the server that they lead to.
"""

from msgspec.structs import replace
from opentelemetry import trace
from opentelemetry.trace import SpanKind
from opentelemetry.util.types import AttributeValue

from steward.kit.tracing.events import SYSTEM
from steward.kit.tracing.spans import ORGANIZATION, TRACEPARENT, TRACER, continued, fail_as, traceparent
from steward.webhook_delivery.dispatch import Send
from steward.webhook_delivery.model import AttemptResult, ClaimedDelivery
from steward.webhook_delivery.prepare import SignedRequest


def traced_attempts(send: Send) -> Send:
    async def traced(delivery: ClaimedDelivery, request: SignedRequest) -> AttemptResult:
        headers = {} if delivery.trace is None else {TRACEPARENT: delivery.trace}
        span = TRACER.start_span(
            "deliver webhook", continued(headers), SpanKind.CLIENT, _attributes(delivery, request)
        )
        sent = replace(
            request, headers={**request.headers, TRACEPARENT: traceparent(span.get_span_context())}
        )
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            result = await send(delivery, sent)
            if result.status_code is not None:
                span.set_attribute("http.response.status_code", result.status_code)
            if result.error is not None:
                fail_as(span, str(result.error))
            return result

    return traced


def _attributes(delivery: ClaimedDelivery, request: SignedRequest) -> dict[str, AttributeValue]:
    attributes: dict[str, AttributeValue] = {
        "messaging.system": SYSTEM,
        "messaging.operation.name": "deliver",
        "messaging.operation.type": "send",
        "messaging.message.id": delivery.event_id,
        "http.request.method": "POST",
        "server.address": request.target.host,
        "server.port": request.target.port,
        ORGANIZATION: delivery.webhook.key[0],
        "steward.webhook.id": delivery.webhook.key[1],
        "steward.delivery.id": delivery.id,
    }
    if delivery.attempts:
        attributes["http.request.resend_count"] = delivery.attempts
    return attributes
