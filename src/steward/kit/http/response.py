"""What a handler gives back, and the bytes it becomes."""

import hashlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import msgspec

from steward.kit.db.pagination import Page
from steward.kit.domain.problems import Problem

Headers = list[tuple[str, str]]

JSON = ("content-type", "application/json")
# On every answer: what we say it is, it is.
NO_SNIFFING = ("x-content-type-options", "nosniff")
# On answers that hold secrets or what belongs to somebody: nothing of them stays behind in a cache.
NOT_KEPT = ("cache-control", "no-store")

encode = msgspec.json.Encoder().encode
# The database keeps the keys of free-form objects in an order of its own. Sorted, a resource has the same bytes, and so the
# same validator, when it is made as when it is read.
_encode_resource = msgspec.json.Encoder(order="deterministic").encode


class Response(msgspec.Struct):
    status: int
    body: bytes
    headers: Headers


class StreamingResponse(msgspec.Struct):
    """An answer of any length that is made while it is sent."""

    headers: Headers
    chunks: AsyncGenerator[bytes]
    status: int = 200


def etag(resource: Any) -> str:
    """A strong validator: it changes whenever a byte of the resource's public form does."""
    return _tag(resource, _encode_resource(resource))


def _tag(resource: Any, encoded: bytes) -> str:
    """Two parts where fields of the resource move by themselves: one of everything else, and one of these."""
    moving = getattr(resource, "moves_by_itself", ())
    if not moving:
        return f'"{_digest(encoded)}"'
    lasting = msgspec.structs.replace(resource, **dict.fromkeys(moving))
    moved = [getattr(resource, field) for field in moving]
    return f'"{_digest(_encode_resource(lasting))}.{_digest(_encode_resource(moved))}"'


def _digest(encoded: bytes) -> str:
    return hashlib.blake2b(encoded, digest_size=12).hexdigest()


def matches_but_for_volatile(tag: str, seen: str) -> bool:
    """Whether both validators are of one resource that at most moved by itself in between."""
    lasting, dot, _ = tag.partition(".")
    return seen.startswith(lasting + dot) and seen.endswith('"') if dot else seen == tag


def one(
    resource: Any, *, status: int = 200, headers: Sequence[tuple[str, str]] = (), version: Any = None
) -> Response:
    """`version` is what the validator is made of, where a part of the resource changes without anybody changing it."""
    data = _encode_resource(resource)
    tag = _tag(resource, data) if version is None else etag(version)
    return Response(status, b'{"data":%s}' % data, [JSON, ("etag", tag), *headers])


def created(resource: Any, location: str) -> Response:
    return one(resource, status=201, headers=[("location", location)])


def plain(data: Any, *, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """An answer that isn't a stored resource and so has no validator."""
    return Response(status, b'{"data":%s}' % encode(data), [JSON, *headers])


def bare(document: Any, *, status: int = 200, headers: Sequence[tuple[str, str]] = ()) -> Response:
    """A document with a form of its own, such as a key set."""
    return Response(status, encode(document), [JSON, *headers])


DELETED = b'{"data":{"deleted":true}}'


def deleted() -> Response:
    return Response(200, DELETED, [JSON])


def page(found: Page) -> Response:
    cursor = encode(found.last_evaluated_key)
    body = b'{"data":[%s],"lastEvaluatedKey":%s}' % (",".join(found.items).encode(), cursor)
    return Response(200, body, [JSON])


def problem(found: Problem, request_id: str) -> Response:
    body: dict[str, Any] = {"error": found.code, "message": found.message, "requestId": request_id}
    if found.details:
        body["details"] = found.details
    headers = [(name.lower(), value) for name, value in found.headers.items()]
    return Response(found.status, encode(body), [JSON, *headers])
