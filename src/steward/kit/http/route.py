"""A route is data: what it takes, what it returns, who may call it. Checks, documents and tests read it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypedDict, TypeVar

import msgspec

from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Invalid, Problem
from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http.response import Response, StreamingResponse
from steward.kit.http.server.exchange import MAXIMUM_BODY
from steward.kit.records.context import Context
from steward.kit.security.caller import Caller, Readmit, RequestOrigin
from steward.kit.security.permissions import Need, in_words, is_met


class NoBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request without fields."""


class NoQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request without query parameters."""


B = TypeVar("B")
Q = TypeVar("Q")


class Explain(Protocol):
    """`deleting` where a request deletes a record without being a DELETE."""

    def __call__(self, error: Exception, /, *, deleting: bool = False) -> Problem: ...


WithLaterFaults = Callable[[Invalid, "Route", "Call[Any, Any]", bytes], Awaitable[Invalid]]


class Call(msgspec.Struct, Generic[B, Q], kw_only=True, eq=False):
    """One request that has passed every check, with body and query decoded."""

    db: Database
    cursors: Cursors
    caller: Caller
    origin: RequestOrigin
    params: Mapping[str, str]
    query: Q
    body: B
    # When the request arrived. Everything it causes happens at this time.
    now_ms: int
    # For answers that show it in the body; None for others.
    request_id: str | None
    # What a caller may learn of an error, for code that continues after one.
    explain: Explain
    readmit: Readmit
    # Completes a refusal of a part of this request with what later stages would refuse.
    with_later_faults: WithLaterFaults
    precondition: Precondition = UNCONDITIONAL

    @property
    def now(self) -> int:
        """In Unix seconds, the unit of nearly every time in the API."""
        return self.now_ms // 1000

    @property
    def context(self) -> Context:
        """What verbs take."""
        return Context(self.db, self.caller, self.now_ms)

    def as_one(
        self,
        db: Database,
        body: Any,
        params: Mapping[str, str] | None = None,
        precondition: Precondition = UNCONDITIONAL,
    ) -> "Call[Any, Any]":
        """The same caller at the same time, with one part of this request."""
        return msgspec.structs.replace(
            self,
            db=db,
            params={**self.params, **(params or {})},
            query=NoQuery(),
            body=body,
            request_id=None,
            precondition=precondition,
        )


Handler = Callable[[Call[Any, Any]], Awaitable[Response | StreamingResponse]]
Shape = Literal["one", "page", "deleted", "plain", "bare", "stream"]


class BodyReader(NamedTuple):
    """Two decoders of a body: one for small bodies, one for those that would block other requests if decoded
    at once.
    """

    at_once: Callable[[bytes], Any]
    in_pieces: Callable[[bytes], Awaitable[Any]]


class Route(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    path: str
    handler: Handler
    tag: str
    summary: str
    # The name in generated clients, where it isn't the summary: it stays when the summary changes.
    client_name: str | None = None
    # None makes the route public; every other route lies under an organization and needs this permission.
    permission: Need | None
    status: int = 200
    # The value under `data`, and the shape of the whole answer.
    gives: Any = None
    shape: Shape = "one"
    media_type: str = "application/json"
    # It creates what doesn't exist: then the answer is 201, with the same content.
    creates: bool = False
    # `POST …/{id}/verb`: changes a record instead of creating one.
    move: bool = False
    body: type[msgspec.Struct] = NoBody
    # Bytes; only batches and files need more.
    max_body: int = MAXIMUM_BODY
    # The table that stores the body: a refusal can then also name what the database would refuse.
    stored_in: str | None = None
    # Whether its rules can run in a rehearsal. Not where they follow something other than the database, such
    # as a limit.
    rehearsed: bool = True
    # Decodes the body where decoding it as `body`, all or nothing, isn't what the route promises.
    reads: BodyReader | None = None
    # "text/csv" passes the body on as text; `kit.csv_rows` reads the rows.
    takes: Literal["application/json", "text/csv"] = "application/json"
    query: type[msgspec.Struct] = NoQuery
    description: str = ""
    # Refusals beyond those of every route of its kind.
    refusals: Mapping[int, str] = {}
    example: Any = None
    body_example: Any = None
    # A probe: machines ask every few seconds, so its log lines would hide all others.
    probe: bool = False
    # A long read: a replica answers it where there is one.
    from_replica: bool = False

    @property
    def public(self) -> bool:
        return self.permission is None

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def operation_id(self) -> str:
        """`readAlertRule` of the summary `Read an alert rule`."""
        return self.client_name or camel_case(self.summary)

    def refusal(self, caller: Caller) -> str | None:
        """Why this caller may not use it; None if they may."""
        if self.permission is None or is_met(self.permission, caller.permissions):
            return None
        return f"Forbidden: this needs the permission {in_words(self.permission)}."

    @property
    def shows_request_id(self) -> bool:
        """Version 2 of the API has the request's identifier in its answers."""
        return self.path.startswith("/v2/")

    @property
    def conditional(self) -> bool:
        """Whether If-Match applies: the request changes an existing record."""
        return not self.public and (self.method in {"PATCH", "PUT", "DELETE"} or self.move)


def camel_case(words: str) -> str:
    """Without articles; a name among the words stays as it is, such as `externalId`."""
    first, *others = [word for word in words.split() if word.lower() not in {"a", "an", "the"}]
    capitalized = [
        word.capitalize() if word[0].isupper() else f"{word[0].upper()}{word[1:]}" for word in others
    ]
    return "".join([first.lower(), *capitalized])


class RouteOptions(TypedDict, total=False):
    """Options of a route beyond what follows from its resource; see `Route`."""

    handler: Handler
    summary: str
    client_name: str
    permission: Need
    status: int
    gives: Any
    shape: Shape
    media_type: str
    creates: bool
    move: bool
    body: type[msgspec.Struct]
    max_body: int
    stored_in: str | None
    rehearsed: bool
    reads: BodyReader
    takes: Literal["application/json", "text/csv"]
    query: type[msgspec.Struct]
    description: str
    refusals: Mapping[int, str]
    example: Any
    body_example: Any
    from_replica: bool
