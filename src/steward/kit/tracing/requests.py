"""A span for each incoming request, from its first step to the end of its answer.

Neither paths nor queries are recorded, since some hold secrets: the route says what was asked for.
"""

from opentelemetry import trace
from opentelemetry.trace import SpanKind

from steward.kit.http import access_log
from steward.kit.http.request import Request
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.server.http_connection import App
from steward.kit.tracing.spans import ORGANIZATION, REQUEST, TRACER, continued, fail_as

# Machines ask for these every few seconds.
_PROBES = "/health/"
_SERVER_ERROR = 500
# Made-up methods get no span names of their own.
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"})


def traced_app(app: App) -> App:
    async def traced(exchange: Exchange) -> None:
        if exchange.path.startswith(_PROBES):
            await app(exchange)
            return
        method = exchange.method if exchange.method in _METHODS else "_OTHER"
        span = TRACER.start_span(
            method, continued(exchange.headers), SpanKind.SERVER, {"http.request.method": method}
        )
        with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            await app(exchange)

    return traced


def observe(request: Request, route: str, status: int) -> None:
    """Records the outcome on the request's span, which is the current one."""
    access_log.observe(request, route, status)
    span = trace.get_current_span()
    if not span.is_recording():
        return
    span.set_attributes({REQUEST: request.id, "http.response.status_code": status})
    if route != access_log.UNMATCHED:
        span.update_name(route)
        span.set_attribute("http.route", route.partition(" ")[2])
    if request.caller is not None:
        span.set_attribute(ORGANIZATION, request.caller.tenant)
    if status >= _SERVER_ERROR:
        fail_as(span, str(status))
