"""What can go wrong, by the answer's status. Every refusal of the service has its request id."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Detail(NamedTuple):
    """What is wrong with one field; `field` is its whole path, such as `items[3].quantity`."""

    field: str
    message: str


class StewardError(Exception):
    """`status` is None where there was no answer; `body` is the answer's whole JSON object."""

    def __init__(
        self,
        status: int | None,
        code: str,
        message: str,
        request_id: str | None = None,
        details: Sequence[Detail] = (),
        *,
        body: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(status, code, message)
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id
        self.details = tuple(details)
        self.body = dict(body or {})
        self.retry_after = retry_after

    def __str__(self) -> str:
        text = f"{self.status or self.code}: {self.message}"
        if self.details:
            text += " (" + "; ".join(f"{detail.field}: {detail.message}" for detail in self.details) + ")"
        return f"{text} [request {self.request_id}]" if self.request_id else text


class NotModified(StewardError):  # noqa: N818  the name that everybody has for it
    """304: what `if_none_match` names is still what is there."""


class BadRequest(StewardError):  # noqa: N818
    """400."""


class Unauthorized(StewardError):  # noqa: N818
    """401: no credential, or not a valid one."""


class Forbidden(StewardError):  # noqa: N818
    """403: not with this plan, organization or permission."""


class NotFound(StewardError):  # noqa: N818
    """404."""


class Conflict(StewardError):  # noqa: N818
    """409: not in this state."""


class Gone(StewardError):  # noqa: N818
    """410: the request was carried out, and its stored answer was erased with a person whom it showed."""


class PreconditionFailed(StewardError):  # noqa: N818
    """412: `if_match` is stale."""


class ValidationFailed(StewardError):  # noqa: N818
    """422: `details` names the fields."""


class RateLimited(StewardError):  # noqa: N818
    """429, after as many retries as were allowed; `retry_after` is in seconds."""


class ServiceUnavailable(StewardError):  # noqa: N818
    """502, 503 or 504, after as many retries as were allowed."""


class ConnectionFailed(StewardError):  # noqa: N818
    """No answer, or only a part of one. Whether the request had its effect isn't known."""


class InvalidAnswer(StewardError):  # noqa: N818
    """An answer that isn't Steward's, such as a page of a proxy's."""


BY_STATUS: Mapping[int, type[StewardError]] = {
    304: NotModified,
    400: BadRequest,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    410: Gone,
    412: PreconditionFailed,
    422: ValidationFailed,
    429: RateLimited,
    502: ServiceUnavailable,
    503: ServiceUnavailable,
    504: ServiceUnavailable,
}


def refusal(
    status: int, body: Mapping[str, Any], *, request_id: str | None, retry_after: float | None
) -> StewardError:
    """The error for an answer that isn't a success."""
    kind = BY_STATUS.get(status, StewardError)
    details = [
        Detail(str(one.get("field", "")), str(one.get("message", "")))
        for one in body.get("details") or ()
        if isinstance(one, Mapping)
    ]
    return kind(
        status,
        str(body.get("error") or kind.__name__),
        str(body.get("message") or "The service gave no reason."),
        request_id or body.get("requestId"),
        details,
        body=body,
        retry_after=retry_after,
    )
