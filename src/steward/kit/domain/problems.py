"""All errors for callers, with their status and when they are raised."""

from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, ClassVar, ParamSpec, Self

from steward.kit.domain.error_details import ErrorDetail as ErrorDetail
from steward.kit.domain.error_details import more_faults, sentence, shortened

P = ParamSpec("P")


# Further members of some error bodies: name in the API, type and default.
# Slices add to it.
MEMBERS: dict[str, tuple[Any, Any]] = {}


class Problem(Exception):  # noqa: N818 (a problem of the caller's is not always an error)
    status: ClassVar[int]
    code: ClassVar[str]
    # For the API reference.
    when: ClassVar[str]

    def __init__(self, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.headers = dict(headers or {})
        self.details: tuple[ErrorDetail, ...] = ()
        # By the names in MEMBERS.
        self.more: Mapping[str, Any] = {}

    def without_frames(self) -> Self:
        """For storing it: the frames of its traceback and its causes keep all their data alive."""
        self.__context__ = self.__cause__ = None
        return self.with_traceback(None)


class BadRequest(Problem):
    status, code = 400, "BadRequest"
    when = "the request can't be read, such as a body that is not JSON"


class Unauthenticated(Problem):
    status, code = 401, "Unauthenticated"
    when = "no credential was sent, or it is not valid"


class Forbidden(Problem):
    status, code = 403, "Forbidden"
    when = "not with this plan, organization or permission"


class NotFound(Problem):
    status, code = 404, "NotFound"
    when = "there is no such path, or no such record in this organization"


class MethodNotAllowed(Problem):
    status, code = 405, "MethodNotAllowed"
    when = "the path has other methods; `Allow` names them"


class RequestTimeout(Problem):
    status, code = 408, "RequestTimeout"
    when = "the request came too slowly"


class Conflict(Problem):
    status, code = 409, "Conflict"
    when = "not in this state"


class Gone(Problem):
    status, code = 410, "Gone"
    when = "the answer that was stored for this `Idempotency-Key` held personal data, which has been erased"


class PreconditionFailed(Problem):
    status, code = 412, "PreconditionFailed"
    when = "`If-Match` is stale"


class PayloadTooLarge(Problem):
    status, code = 413, "PayloadTooLarge"
    when = "the body is larger than allowed"


class UriTooLong(Problem):
    status, code = 414, "UriTooLong"
    when = "path and query are too long"


class UnsupportedMediaType(Problem):
    status, code = 415, "UnsupportedMediaType"
    when = "the body's content type or encoding is not one that is read here"


# Of one body.
MAX_FAULTS = 20


class Invalid(Problem):
    status, code = 422, "ValidationError"
    when = "`details` names the fields"

    def __init__(self, field: str, message: str, *more: ErrorDetail) -> None:
        first = shortened(ErrorDetail(field, message))
        super().__init__(f"{sentence(first)}{more_faults(len(more))}")
        self.details = (first, *map(shortened, more))

    @classmethod
    def of(cls, details: Iterable[ErrorDetail], *, most: int = MAX_FAULTS) -> "Invalid":
        first, *more = islice(details, most)
        return cls(first.field, first.message, *more)


def refuse_faults(details: Iterable[ErrorDetail]) -> None:
    """422 that names them; nothing where there are none."""
    if found := list(details):
        raise Invalid.of(found)


def repeated(values: Iterable[Hashable]) -> Iterator[int]:
    """The places of values that stand further up already."""
    seen = set()
    for place, value in enumerate(values):
        if value in seen:
            yield place
        seen.add(value)


class Faults:
    """Collects the errors of all rules for one body, so that one answer names them all."""

    def __init__(self) -> None:
        self._details: list[ErrorDetail] = []

    def add(self, field: str, message: str) -> None:
        self._details.append(ErrorDetail(field, message))

    def check(self, rule: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            rule(*args, **kwargs)
        except Invalid as problem:
            self._details.extend(problem.details)

    async def check_awaited(self, rule: Awaitable[object]) -> None:
        try:
            await rule
        except Invalid as problem:
            self._details.extend(problem.details)

    def require_none(self) -> None:
        refuse_faults(self._details)


@contextmanager
def all_faults() -> Iterator[Faults]:
    """Raises the collected errors when it ends."""
    faults = Faults()
    try:
        yield faults
    except Problem:
        raise
    except Exception:
        # Errors that were collected before take precedence.
        faults.require_none()
        raise
    faults.require_none()


class FailedDependency(Problem):
    status, code = 424, "FailedDependency"
    when = "within a batch: undone or not tried, since another item of it was refused"


class TooManyRequests(Problem):
    status, code = 429, "TooManyRequests"
    when = "a limit is reached; carries `Retry-After`"

    def __init__(self, reason: str, *, retry_after: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"Too many requests: {reason}", headers=headers)
        self.headers["Retry-After"] = str(max(1, retry_after))


class HeadTooLarge(Problem):
    status, code = 431, "HeadTooLarge"
    when = "the headers are too large, or too many"


class InternalError(Problem):
    status, code = 500, "InternalError"
    when = "a fault of ours; the message says nothing of the inside"


class Unavailable(Problem):
    status, code = 503, "Unavailable"
    when = "not at the moment; carries `Retry-After`"

    def __init__(self, message: str, *, retry_after: int = 1) -> None:
        super().__init__(message, headers={"Retry-After": str(retry_after)})


# In the order of their status.
ALL: tuple[type[Problem], ...] = tuple(Problem.__subclasses__())
