"""A route is data: what it takes, what it gives, who may call it. Checks, documents and tests all read it."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypedDict, TypeVar

import msgspec

from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Database
from steward.kit.domain.problems import InternalError, Invalid, Problem
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http.response import Response, StreamingResponse
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.security.caller import Caller, Readmit, RequestOrigin
from steward.kit.security.permissions import Need, in_words, is_met


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request that needs no fields."""


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request without query parameters."""


B = TypeVar("B")
Q = TypeVar("Q")


class Call(Generic[B, Q]):
    """One request that has passed every check, with its body and query decoded."""

    __slots__ = (
        "body",
        "caller",
        "cursors",
        "db",
        "explain",
        "now_ms",
        "origin",
        "params",
        "precondition",
        "query",
        "readmit",
        "request_id",
        "with_later_faults",
    )

    def __init__(
        self,
        *,
        db: Database,
        cursors: Cursors,
        caller: Caller,
        origin: RequestOrigin,
        params: Mapping[str, str],
        query: Q,
        body: B,
        now_ms: int,
        request_id: str | None = None,
        explain: "Explain | None" = None,
    ) -> None:
        self.db = db
        self.cursors = cursors
        self.caller = caller
        self.origin = origin
        self.params = params
        self.query = query
        self.body = body
        # When the request came. Whatever it causes happened at this moment.
        self.now_ms = now_ms
        # For the answers that show it inside; None where they don't.
        self.request_id = request_id
        self.precondition = UNCONDITIONAL
        # What a caller may know of an error, for those who go on after one.
        self.explain = explain or _nothing_is_said
        self.readmit: Readmit = partial(_unchanged, caller)
        # A refusal of a part of this request, with what later stages would refuse.
        self.with_later_faults: WithLaterFaults = _no_later_faults

    @property
    def now(self) -> int:
        """In Unix seconds, the unit of nearly every time in the API."""
        return self.now_ms // 1000

    def as_one(
        self,
        db: Database,
        body: Any,
        params: Mapping[str, str] | None = None,
        precondition: Precondition = UNCONDITIONAL,
    ) -> "Call[Any, Any]":
        """The same caller at the same moment, with a request that is a part of this one."""
        call: Call[Any, Any] = Call(
            db=db,
            cursors=self.cursors,
            caller=self.caller,
            origin=self.origin,
            params={**self.params, **(params or {})},
            query=NoQuery(),
            body=body,
            now_ms=self.now_ms,
            explain=self.explain,
        )
        call.precondition = precondition
        return call


WithLaterFaults = Callable[[Invalid, "Route", Call[Any, Any], bytes], Awaitable[Invalid]]


async def _no_later_faults(
    problem: Invalid, _route: "Route", _part: "Call[Any, Any]", _body: bytes
) -> Invalid:
    return problem


class Explain(Protocol):
    """`deleting` where a request deletes a record without being a DELETE."""

    def __call__(self, error: Exception, /, *, deleting: bool = False) -> Problem: ...


async def _unchanged(caller: Caller) -> Caller:
    """Of a public route, or of a part of a request, which is admitted with it."""
    return caller


def _nothing_is_said(_error: Exception, /, *, deleting: bool = False) -> Problem:  # noqa: ARG001 (nor of that)
    return InternalError("Something went wrong on our side.")


Handler = Callable[[Call[Any, Any]], Awaitable[Response | StreamingResponse]]
Shape = Literal["one", "page", "deleted", "plain", "bare", "stream"]


class BodyReader(NamedTuple):
    """How a body is read that is small, and one that would hold up others if it were read at once."""

    at_once: Callable[[bytes], Any]
    in_pieces: Callable[[bytes], Awaitable[Any]]


class Route(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    handler: Handler
    tag: str
    # What generated clients call it: stays as it is, whatever becomes of the summary.
    operation_id: str
    summary: str
    # None opens the route to everyone; every other route lies under an organization and needs this permission.
    permission: Need | None
    status: int = 200
    # What stands under `data`, and the form that the whole answer has.
    gives: Any = None
    shape: Shape = "one"
    media_type: str = "application/json"
    # It makes what isn't there: then the answer is 201, with the same content.
    creates: bool = False
    # `POST …/{id}/verb`: changes what is there instead of making something.
    move: bool = False
    body: type[msgspec.Struct] = NoBody
    # Bytes; what isn't a batch or a file has no need of more.
    max_body: int = MAXIMUM_BODY
    # The table that the body goes into: a refusal can then also name what the database would refuse.
    stored_in: str | None = None
    # Whether its rules can then be asked before, too. Not where they come after something else than the database, such as a limit.
    rehearsed: bool = True
    # Reads the body where decoding it as `body`, all or nothing, isn't what the route promises.
    reads: BodyReader | None = None
    # "text/csv" hands the body over as text; the rows are read by `kit.csv_rows`.
    takes: Literal["application/json", "text/csv"] = "application/json"
    query: type[msgspec.Struct] = NoQuery
    description: str = ""
    # Refusals beyond those that every route of its kind can give.
    refusals: Mapping[int, str] = {}
    example: Any = None
    body_example: Any = None
    # A probe: asked every few seconds by machines, so that its log lines would hide all others.
    probe: bool = False
    # A long read: where the database has replicas, one of them answers.
    from_replica: bool = False

    @property
    def public(self) -> bool:
        return self.permission is None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def refusal(self, caller: Caller) -> str | None:
        """Why this caller may not use it; None where they may."""
        if self.permission is None or is_met(self.permission, caller.permissions):
            return None
        return f"Forbidden: this needs the permission {in_words(self.permission)}."

    @property
    def shows_request_id(self) -> bool:
        """Version 2 of the API has the request's identifier in its answers."""
        return self.path.startswith("/v2/")

    @property
    def conditional(self) -> bool:
        """Whether If-Match means something here: the request changes something that is already there."""
        return not self.public and (self.method in {"PATCH", "PUT", "DELETE"} or self.move)


class RouteOptions(TypedDict, total=False):
    """What a route may say beyond what follows from its resource; see `Route`."""

    description: str
    permission: Need
    gives: Any
    example: Any
    status: int
    shape: Shape
    refusals: Mapping[int, str]
    body_example: Any
    stored_in: str
    rehearsed: bool
    from_replica: bool
