"""Serves the OpenAPI document of a set of routes, this one included."""

import hashlib
from collections.abc import Iterable

import msgspec

from steward.kit.http.openapi.answers import Json
from steward.kit.http.openapi.document import build
from steward.kit.http.response import JSON, Response
from steward.kit.http.route import Call, NoBody, NoQuery, Route

_DESCRIPTION = """\
Facility and asset operations for external systems: ERP, SCADA and BMS, custom apps, data warehouses.

**Who you are.** Send an API key in `X-API-Key`. Every path names an organization, and a key belongs to exactly one.

**Answers.** One resource is `{"data": {…}}`; a list is `{"data": […], "lastEvaluatedKey": …}`, newest first. Every answer
carries `X-Request-Id`. Times are Unix seconds.

**Refusals.** `{"error", "message", "requestId"}`, and `details` with the fields at fault for 422. A field or query
parameter that we don't know is an error.

**Repeating yourself safely.** Every POST takes an `Idempotency-Key`. Single resources carry an `ETag`: send it back in
`If-Match` to change only what you have seen, or in `If-None-Match` to get 304 if nothing has changed.

**Limits.** 1,000 requests a minute per key. `RateLimit` tells what is left; 429 and 503 carry `Retry-After`.
"""


def with_document(routes: Iterable[Route]) -> tuple[tuple[Route, ...], Json]:
    """The routes with one more that serves their document, and the document."""
    answer = Response(200, b"", [])

    async def read(_call: Call[NoBody, NoQuery]) -> Response:
        return answer

    all_routes = (
        *routes,
        Route(
            method="GET",
            path="/openapi.json",
            handler=read,
            tag="Health",
            summary="Read this document",
            permission=None,
            gives=dict,
            shape="bare",
        ),
    )
    document = build(all_routes, _DESCRIPTION)
    body = msgspec.json.encode(document)
    tag = hashlib.blake2b(body, digest_size=12).hexdigest()
    headers = [JSON, ("etag", f'"{tag}"'), ("cache-control", "no-cache")]
    answer = Response(200, body, headers, kept={})
    return all_routes, document
