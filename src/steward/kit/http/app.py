"""The dispatcher: every request takes the same steps in the same order.

size → route → authentication → plan → organization → permission → rate limit → body → act
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec

from steward.kit.db.constraints import Constraints
from steward.kit.db.cursors import Cursors
from steward.kit.db.idempotency import Idempotency, IdempotencyKey, checked_key
from steward.kit.db.pool import Database
from steward.kit.db.replicas import Replicas
from steward.kit.domain.problems import Invalid, MethodNotAllowed, NotFound
from steward.kit.events.actor import act_as
from steward.kit.http.access_log import UNMATCHED, observe
from steward.kit.http.all_faults import read_all, with_later_faults
from steward.kit.http.cors import Cors
from steward.kit.http.decoding import read_query
from steward.kit.http.error_problems import problem_of
from steward.kit.http.preconditions import precondition
from steward.kit.http.request import Request
from steward.kit.http.response import Response, StreamingResponse, problem
from steward.kit.http.route import Call, Route
from steward.kit.http.router import Router
from steward.kit.http.sending import or_not_modified, send
from steward.kit.http.server.exchange import MAXIMUM_BODY, Exchange
from steward.kit.http.trailing_slash import without_slash
from steward.kit.runtime.fair_turns import take_turn
from steward.kit.runtime.loop_watch import timed
from steward.kit.security.caller import NOBODY, Caller
from steward.settings import Network

# What somebody may send of whom nothing is known yet.
_PUBLIC_BODY = 64 * 1024

# Called with every answer: the request, the name of its route, and the status.
Observe = Callable[[Request, str, int], None]


class AccessCheck(Protocol):
    """Decides who a request is from and whether it may go on; sets what it learned on the request."""

    async def admit(self, request: Request, route: Route, organization: str) -> Caller: ...

    async def readmit(self, request: Request, route: Route, organization: str) -> Caller:
        """What `admit` would return or raise by now; it counts nothing."""
        ...

    def on_request(self, request: Request) -> None:
        """Looks at every request before anything else, also at those that go nowhere."""

    def on_response(self, request: Request, status: int) -> None:
        """Called with every answer to an admitted caller."""


class Api(msgspec.Struct, frozen=True, eq=False):
    """The application of the REST API."""

    router: Router[Route]
    gate: AccessCheck
    db: Database
    replicas: Replicas
    cursors: Cursors
    idempotency: Idempotency
    constraints: Constraints
    trusted_proxies: tuple[Network, ...]
    cors: Cors
    observe: Observe = observe

    async def __call__(self, exchange: Exchange) -> None:
        request = Request(exchange, self.trusted_proxies)
        await timed(self._serve(request), "route", partial(_route_name, request))

    async def _serve(self, request: Request) -> None:
        self.gate.on_request(request)
        request.extra_headers += self.cors.headers(request)
        try:
            answer = self._answer_early(request) or await self._answer(request)
        except Exception as error:  # noqa: BLE001 (the edge: whatever went wrong becomes an answer)
            answer = problem(problem_of(request, error, self.constraints), request.id)
        try:
            await send(request, answer)
        finally:
            if request.caller is not None:
                self.gate.on_response(request, answer.status)
            self.observe(request, _route_name(request), answer.status)

    def _answer_early(self, request: Request) -> Response | None:
        """To what no route is asked for."""
        if request.method == "OPTIONS":
            return self.cors.preflight(request)
        return without_slash(self.router, request) if request.path.endswith("/") else None

    async def _answer(self, request: Request) -> Response | StreamingResponse:
        self._check_size(request)
        route, params = self._route(request)
        caller, organization = NOBODY, ""
        if not route.public:
            organization = params.pop("orgId", "")
            caller = request.caller = await self.gate.admit(request, route, organization)
            await take_turn(caller.tenant)
        act_as(caller)
        call: Call[Any, Any] = Call(
            db=self.replicas.reader() if route.from_replica else self.db,
            cursors=self.cursors,
            caller=caller,
            origin=request,
            params=params,
            query=None,
            body=None,
            now_ms=request.now_ms,
            request_id=request.id if route.shows_request_id else None,
            explain=partial(problem_of, request, constraints=self.constraints),
            readmit=partial(self.gate.readmit, request, route, organization),
            with_later_faults=partial(with_later_faults, constraints=self.constraints),
        )
        if route.method != "GET":
            return await self._change(request, route, call)
        call.query = read_query(route.query, request.query_string)
        answer = await route.handler(call)
        return or_not_modified(request, answer) if isinstance(answer, Response) else answer

    async def _change(
        self, request: Request, route: Route, call: Call[Any, Any]
    ) -> Response | StreamingResponse:
        body = await request.body(_PUBLIC_BODY if route.public else route.max_body)
        if route.conditional:
            call.precondition = precondition(request.header("if-match"))
        await read_all(route, call, request.query_string, request.headers.get("content-type"), body)
        try:
            # Without a caller there is nobody whose answer it would be.
            if route.method == "POST" and not route.public and "idempotency-key" in request.headers:
                return await self._once(request, route, call, body)
            return await route.handler(call)
        except Invalid as problem:
            call.db = self.db
            raise await call.with_later_faults(problem, route, call, body) from None

    def _check_size(self, request: Request) -> None:
        """Before anything else; few routes take more than the others."""
        if request.announced_size > MAXIMUM_BODY:
            found = self.router.find(request.path)
            route = None if found is None else found[0].get(request.method)
            request.check_announced_size(MAXIMUM_BODY if route is None else route.max_body)

    def _route(self, request: Request) -> tuple[Route, dict[str, str]]:
        found = self.router.find(request.path)
        if found is None:
            raise NotFound("There is nothing at this path.")
        methods, params = found
        route = methods.get("GET" if request.method == "HEAD" else request.method)
        if route is None:
            allowed = ", ".join(sorted(methods))
            raise MethodNotAllowed(f"This path takes {allowed}.", headers={"Allow": allowed})
        request.route = route
        # No identifier of ours holds these, and the database would not take them.
        if "\0" in request.path or "\ufffd" in request.path:
            raise NotFound("There is nothing at this path.")
        return route, params

    async def _once(self, request: Request, route: Route, call: Call[Any, Any], body: bytes) -> Response:
        key = IdempotencyKey(
            organization=call.caller.tenant,
            subject=call.caller.subject,
            key=checked_key(request.header("idempotency-key") or ""),
        )

        async def act(db: Database) -> bytes:
            call.db = db
            return msgspec.msgpack.encode(await route.handler(call))

        address = f"{request.path}?{request.query_string}" if request.query_string else request.path
        same = b"\0".join((address.encode(), body))
        kept = await self.idempotency.once(self.db, key, same, act, now=call.now)
        response = msgspec.msgpack.decode(kept.answer, type=Response)
        if kept.replayed:
            response.headers.append(("idempotent-replayed", "true"))
        return response


def _route_name(request: Request) -> str:
    return request.route.name if request.route else UNMATCHED
