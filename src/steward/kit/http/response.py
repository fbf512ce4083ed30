"""A handler's result, and its bytes."""

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec

from steward.kit.db.listing import Page
from steward.kit.domain.problems import Problem
from steward.kit.domain.versions import encode_record, version_of
from steward.kit.http.server.answer import JSON as JSON
from steward.kit.http.server.answer import NO_SNIFFING as NO_SNIFFING
from steward.kit.http.server.answer import Headers as Headers
from steward.kit.http.server.answer import encode_problem

# For answers with secrets or personal data: no cache may store them.
NOT_KEPT = ("cache-control", "no-store")

encode = msgspec.json.Encoder().encode


class Response(msgspec.Struct, omit_defaults=True):
    status: int
    body: bytes
    headers: Headers
    # For an answer that is sent many times: its body by encoding, compressed at the first request.
    kept: dict[str, bytes] | None = None


class StreamingResponse(msgspec.Struct):
    """An answer of any length that is produced while it is sent."""

    headers: Headers
    chunks: AsyncGenerator[bytes]
    status: int = 200
    # It goes on while the caller reads, and ends as soon as the caller is gone.
    endless: bool = False


def one(
    resource: Any,
    *,
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (),
    version: Any = None,
    request_id: str | None = None,
) -> Response:
    """`version` makes the validator, where part of the resource changes without a write of its own."""
    data = encode_record(resource)
    tag = version_of(resource, data) if version is None else version_of(version)
    return Response(status, _enveloped(data, request_id), [JSON, ("etag", f'"{tag}"'), *headers])


def plain(
    data: Any,
    *,
    status: int = 200,
    headers: Sequence[tuple[str, str]] = (),
    request_id: str | None = None,
) -> Response:
    """An answer that isn't a stored resource and so has no validator."""
    return Response(status, _enveloped(encode(data), request_id), [JSON, *headers])


def _enveloped(data: bytes, request_id: str | None, more: bytes = b"") -> bytes:
    """Version 2 of the API shows the request's identifier in the body, too."""
    if request_id is not None:
        more = b'%s,"requestId":"%s"' % (more, request_id.encode())
    return b'{"data":%s%s}' % (data, more)


def bare(document: Any, *, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """A document with its own format, such as a key set."""
    return Response(status, encode(document), [JSON, *headers])


def deleted(*, request_id: str | None = None) -> Response:
    return Response(200, _enveloped(b'{"deleted":true}', request_id), [JSON])


def page(found: Page, *, request_id: str | None = None) -> Response:
    cursor = b',"lastEvaluatedKey":%s' % encode(found.last_evaluated_key)
    return Response(200, _enveloped(b"[%s]" % ",".join(found.items).encode(), request_id, cursor), [JSON])


def problem(found: Problem, request_id: str) -> Response:
    headers, body = encode_problem(found, request_id)
    return Response(found.status, body, headers)
