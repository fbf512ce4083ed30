"""Serves every page in the same way:

page → same origin (forms only) → session → permission → form → handler → template
"""

import hashlib
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import jinja2
import msgspec

from steward.access import sessions
from steward.access.credential_cache import CredentialCache
from steward.kit.db.constraints import Constraints
from steward.kit.db.cursors import Cursors
from steward.kit.db.pool import Database
from steward.kit.db.replicas import Replicas
from steward.kit.domain.problems import MethodNotAllowed, NotFound, Problem
from steward.kit.events.actor import act_as
from steward.kit.http.access_log import UNMATCHED, observe
from steward.kit.http.app import Observe
from steward.kit.http.error_problems import problem_of
from steward.kit.http.request import Request
from steward.kit.http.response import NOT_KEPT, Response, StreamingResponse
from steward.kit.http.router import Router
from steward.kit.http.sending import or_not_modified, send
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.trailing_slash import without_slash
from steward.kit.runtime.fair_turns import take_turn
from steward.kit.runtime.loop_watch import timed
from steward.kit.security.caller import NOBODY
from steward.kit.web.page import Outcome, PageRequest, Panel, Redirect, RenderedPanel, View, WebPage
from steward.settings import Network
from steward.web import queries
from steward.web.cookies import session_cookie
from steward.web.deep_links import HOME, LOGIN, page_asked_for
from steward.web.menu import Menu
from steward.web.origin import require_same_origin
from steward.web.page_request import read_request, require_permission
from steward.web.rendering import page_bytes
from steward.web.security_headers import SECURITY

_FIRST_SEGMENTS = frozenset({"app", "docs", "screen", "static", "tablet", "favicon.ico", "favicon.svg"})

_HTML = ("content-type", "text/html; charset=utf-8")
# Personal pages stay in the browser's own cache, and the browser revalidates them each time.
_REVALIDATE = ("cache-control", "private, no-cache")


class WebApp:
    """The application that serves every page."""

    def __init__(
        self,
        pages: Iterable[WebPage],
        *,
        menu: Menu,
        panels: Iterable[Panel] = (),
        templates: jinja2.Environment,
        db: Database,
        replicas: Replicas,
        credentials: CredentialCache,
        cursors: Cursors,
        constraints: Constraints,
        trusted_proxies: tuple[Network, ...],
        observe: Observe = observe,
    ) -> None:
        self._router = Router(pages)
        self._menu = menu
        self._panels = tuple(panels)
        self._templates = templates
        self._db = db
        self._replicas = replicas
        self._credentials = credentials
        self._cursors = cursors
        self._constraints = constraints
        self._trusted_proxies = trusted_proxies
        self._observe = observe

    @staticmethod
    def serves(path: str) -> bool:
        return path == "/" or path[1:].partition("/")[0] in _FIRST_SEGMENTS

    async def __call__(self, exchange: Exchange) -> None:
        request = Request(exchange, self._trusted_proxies)
        found: list[WebPage] = []
        await timed(self._serve(request, found), "route", lambda: found[0].name if found else UNMATCHED)

    async def _serve(self, request: Request, found: list[WebPage]) -> None:
        """`found` gets the page once it is known, for the log."""
        page: WebPage | None = None
        try:
            if moved := without_slash(self._router, request):
                answer: Response | StreamingResponse = moved
            else:
                page, params = self._find(request)
                found.append(page)
                answer = await self._answer(request, page, params)
        except Exception as error:  # noqa: BLE001 (the edge: every error becomes a page)
            answer = self._problem_page(request, problem_of(request, error, self._constraints))
        said = {name for name, _ in answer.headers}
        answer.headers += [header for header in SECURITY if header[0] not in said]
        try:
            await send(request, answer)
        finally:
            self._observe(request, page.name if page else UNMATCHED, answer.status)

    def _find(self, request: Request) -> tuple[WebPage, dict[str, str]]:
        found = self._router.find(request.path.removesuffix("/"))
        # No identifier contains these, and PostgreSQL refuses them.
        if found is None or "\0" in request.path or "\ufffd" in request.path:
            raise NotFound("There is no such page.")
        methods, params = found
        page = methods.get("GET" if request.method == "HEAD" else request.method)
        if page is None:
            raise MethodNotAllowed(
                "This page can't be used like that.", headers={"Allow": ", ".join(methods)}
            )
        return page, params

    async def _answer(
        self, request: Request, page: WebPage, params: dict[str, str]
    ) -> Response | StreamingResponse:
        request.check_announced_size()
        if page.method == "POST":
            require_same_origin(request)
        cookie = session_cookie(request)
        caller = NOBODY
        if not page.public:
            found = (
                await sessions.find_caller(self._db, self._credentials, cookie, now=request.now_ms // 1000)
                if cookie
                else None
            )
            if found is None:
                return _redirect(_login_for(request))
            caller = request.caller = found
            await take_turn(caller.tenant)
            require_permission(page, caller)
        act_as(caller)
        page_request = await read_request(
            request,
            page,
            caller,
            db=self._replicas.reader() if page.from_replica else self._db,
            cursors=self._cursors,
            services=_Services(self, request),
            params=params,
        )
        page_request.cookie = cookie
        return await self._response(request, page_request, await page.handler(page_request))

    async def _response(
        self, request: Request, page_request: PageRequest[Any, Any], outcome: Outcome
    ) -> Response | StreamingResponse:
        match outcome:
            case Redirect():
                return _redirect(outcome)
            case View():
                return or_not_modified(request, await self._rendered(request, page_request, outcome))
            case StreamingResponse():
                return outcome
            case Response():
                # A cached response must not collect headers.
                return or_not_modified(
                    request, msgspec.structs.replace(outcome, headers=list(outcome.headers))
                )

    async def _rendered(self, request: Request, page_request: PageRequest[Any, Any], view: View) -> Response:
        caller = page_request.caller
        fragment = view.fragments.get(request.header("hx-target") or "")
        values = _common_values(request, page_request)
        if fragment is None:
            values["menu"] = self._menu.of(caller)
            values["current_user"] = (
                None
                if caller.user is None
                else await queries.current_user(self._db, caller.tenant, caller.user)
            )
        body = page_bytes(self._templates, fragment or view.template, view.values, values)
        # A fragment has the address of the whole page, so no cache may store it.
        if fragment or view.secret or view.status != 200 or request.method == "POST":
            return Response(view.status, body, [_HTML, NOT_KEPT, *view.headers])
        tag = hashlib.blake2b(body, digest_size=12).hexdigest()
        return Response(200, body, [_HTML, ("etag", f'"{tag}"'), _REVALIDATE, *view.headers])

    async def panels(
        self, request: Request, page_request: PageRequest[Any, Any], of: str, id: str
    ) -> list[RenderedPanel]:
        rendered = []
        for panel in self._panels:
            if panel.of != of or (panel.permission and not page_request.may(panel.permission)):
                continue
            view = await panel.handler(page_request, id)
            if view is not None:
                common = _common_values(request, page_request)
                html = page_bytes(self._templates, view.template, view.values, common).decode()
                rendered.append(RenderedPanel(panel.id, panel.title, html))
        return rendered

    def explain(self, request: Request, error: Exception) -> Problem:
        return problem_of(request, error, self._constraints)

    def _problem_page(self, request: Request, problem: Problem) -> Response:
        values = {
            "status": problem.status,
            "title": HTTPStatus(problem.status).phrase,
            "message": problem.message if problem.status < 500 else None,
            "request_id": request.id,
        }
        headers = [(name.lower(), value) for name, value in problem.headers.items()]
        body = page_bytes(self._templates, "web/problem.html", values)
        return Response(problem.status, body, [_HTML, NOT_KEPT, *headers])


def _common_values(request: Request, page_request: PageRequest[Any, Any]) -> dict[str, Any]:
    """Values that every template may use."""
    return {
        "arguments": page_request.arguments,
        "caller": page_request.caller,
        "form": page_request.form,
        "may": page_request.may,
        "now": page_request.now,
        "path": request.path,
    }


class _Services:
    """Implements `PageServices` for one request."""

    def __init__(self, app: WebApp, request: Request) -> None:
        self._app = app
        self._request = request

    def explain(self, error: Exception) -> Problem:
        return self._app.explain(self._request, error)

    async def panels(self, request: PageRequest[Any, Any], of: str, id: str) -> list[RenderedPanel]:
        return await self._app.panels(self._request, request, of, id)


def _login_for(request: Request) -> Redirect:
    """Logging in leads on to the page asked for; a submitted form is not submitted again."""
    if request.method == "POST" or (request.path == HOME and not request.query_string):
        return Redirect(LOGIN)
    return Redirect(f"{LOGIN}?next={quote(page_asked_for(request.path, request.query_string))}")


def _redirect(redirect: Redirect) -> Response:
    return Response(303, b"", [("location", redirect.to), NOT_KEPT, *redirect.headers])
