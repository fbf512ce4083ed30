"""Lets scripts of pages from other origins read our answers, where a deployment names those origins.

Scripts send API keys in headers, so browsers never get permission to send cookies: a person's login here
stays out of reach for other sites.
"""

from collections.abc import Iterable

from steward.kit.http.request import Request
from steward.kit.http.response import Headers, Response

_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
# Request headers beyond those that browsers allow every script.
_TAKEN = (
    "Accept-Encoding",
    "Authorization",
    "Content-Encoding",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "X-API-Key",
)
# Response headers beyond those that browsers show every script.
SHOWN = (
    "Allow",
    "Content-Disposition",
    "Deprecation",
    "ETag",
    "Idempotent-Replayed",
    "Link",
    "Location",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Sunset",
    "WWW-Authenticate",
    "X-Request-Id",
)
# The longest that any browser caches it.
_REMEMBERED_SECONDS = 86_400

_VARY = ("vary", "origin")


class Cors:
    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(origins)

    def headers(self, request: Request) -> Headers:
        """For every answer. Where origins are configured, caches must know that answers vary by origin."""
        if not self._origins:
            return []
        if not self._is_allowed(request):
            return [_VARY]
        return [
            _VARY,
            ("access-control-allow-origin", request.headers["origin"]),
            ("access-control-expose-headers", ", ".join(SHOWN)),
        ]

    def preflight(self, request: Request) -> Response | None:
        """The answer to OPTIONS, before any other check; None if it isn't a preflight or its origin isn't allowed."""
        if "access-control-request-method" not in request.headers or not self._is_allowed(request):
            return None
        return Response(
            204,
            b"",
            [
                ("access-control-allow-methods", _METHODS),
                ("access-control-allow-headers", ", ".join(_TAKEN)),
                ("access-control-max-age", str(_REMEMBERED_SECONDS)),
            ],
        )

    def _is_allowed(self, request: Request) -> bool:
        return request.headers.get("origin") in self._origins
