"""Everything that can go wrong for a caller, as values that know their status.

Problem
├── BadRequest 400            the body is not JSON
├── Unauthenticated 401       who are you?
├── Forbidden 403             not with this plan, organization or permission
├── NotFound 404
├── MethodNotAllowed 405
├── RequestTimeout 408        the request came too slowly
├── Conflict 409              not in this state
├── PreconditionFailed 412    If-Match is stale
├── PayloadTooLarge 413
├── UnsupportedMediaType 415
├── Invalid 422               `details` names the fields
├── TooManyRequests 429       carries Retry-After
├── HeadTooLarge 431          headers and path
├── InternalError 500         says nothing of the inside
└── Unavailable 503           carries Retry-After
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar

import msgspec


class Detail(msgspec.Struct, frozen=True):
    """One field that is wrong, and how."""

    field: str
    message: str


class Problem(Exception):  # noqa: N818 (a problem of the caller's is not always an error)
    status: ClassVar[int]
    code: ClassVar[str]

    def __init__(self, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})
        self.details: tuple[Detail, ...] = ()


class BadRequest(Problem):
    status, code = 400, "BadRequest"


class Unauthenticated(Problem):
    status, code = 401, "Unauthenticated"


class Forbidden(Problem):
    status, code = 403, "Forbidden"


class NotFound(Problem):
    status, code = 404, "NotFound"


class MethodNotAllowed(Problem):
    status, code = 405, "MethodNotAllowed"


class RequestTimeout(Problem):
    status, code = 408, "RequestTimeout"


class Conflict(Problem):
    status, code = 409, "Conflict"


class PreconditionFailed(Problem):
    status, code = 412, "PreconditionFailed"


class PayloadTooLarge(Problem):
    status, code = 413, "PayloadTooLarge"


class UnsupportedMediaType(Problem):
    status, code = 415, "UnsupportedMediaType"


# Names and messages may quote what a caller sent, which may be long; nobody reads it all, and it would be sent back.
MAX_FIELD_LENGTH = 300
MAX_MESSAGE_LENGTH = 3000


class Invalid(Problem):
    status, code = 422, "ValidationError"

    def __init__(self, field: str, message: str, *more: Detail) -> None:
        first = _short(Detail(field, message))
        super().__init__(f"{first.field}: {first.message}" if field else first.message)
        self.details = (first, *map(_short, more))

    @classmethod
    def of(cls, details: Iterable[Detail]) -> "Invalid":
        first, *more = details
        return cls(first.field, first.message, *more)


def _short(detail: Detail) -> Detail:
    if len(detail.field) <= MAX_FIELD_LENGTH and len(detail.message) <= MAX_MESSAGE_LENGTH:
        return detail
    return Detail(_cut(detail.field, MAX_FIELD_LENGTH), _cut(detail.message, MAX_MESSAGE_LENGTH))


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


class TooManyRequests(Problem):
    status, code = 429, "TooManyRequests"

    def __init__(self, reason: str, *, retry_after: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"Too many requests: {reason}", headers=headers)
        self.headers["Retry-After"] = str(max(1, retry_after))


class HeadTooLarge(Problem):
    status, code = 431, "HeadTooLarge"


class InternalError(Problem):
    status, code = 500, "InternalError"


class Unavailable(Problem):
    status, code = 503, "Unavailable"

    def __init__(self, message: str, *, retry_after: int = 1) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after)})


ALL: tuple[type[Problem], ...] = (
    BadRequest,
    Unauthenticated,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    Conflict,
    PreconditionFailed,
    PayloadTooLarge,
    UnsupportedMediaType,
    Invalid,
    TooManyRequests,
    HeadTooLarge,
    InternalError,
    Unavailable,
)
