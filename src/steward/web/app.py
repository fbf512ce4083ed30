"""Serves every page in the same way:

page → same origin (forms only) → session → permission → form → handler → template
"""

import hashlib
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import jinja2
import msgspec

from steward.access import sessions
from steward.access.credential_cache import CredentialCache
from steward.access.model import CurrentUser
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
from steward.kit.security.caller import NOBODY, Caller
from steward.kit.web.moments import set_viewer
from steward.kit.web.page import PageRequest, Panel, Redirect, RenderedPanel, View, WebPage
from steward.kit.web.remember import remembered
from steward.settings import Network
from steward.web.cookies import session_cookie, zone_of
from steward.web.deep_links import HOME, LOGIN, page_asked_for
from steward.web.menu import Menu
from steward.web.page_request import (
    read_arguments,
    read_page_form,
    read_query,
    require_permission,
    require_same_origin,
)
from steward.web.rendering import page_bytes
from steward.web.security_headers import SECURITY

_FIRST_SEGMENTS = frozenset({"app", "docs", "screen", "static", "tablet", "favicon.ico", "favicon.svg"})

_HTML = ("content-type", "text/html; charset=utf-8")
# Personal pages stay in the browser's own cache, and the browser revalidates them each time.
_REVALIDATE = ("cache-control", "private, no-cache")


class ProblemPage(msgspec.Struct, frozen=True, kw_only=True):
    status: int
    title: str
    # None: nothing that the reader could do anything about.
    message: str | None
    request_id: str


class WebApp(msgspec.Struct, kw_only=True, eq=False):
    """The application that serves every page."""

    router: Router[WebPage]
    menu: Menu
    panels: tuple[Panel, ...] = ()
    templates: jinja2.Environment
    db: Database
    replicas: Replicas
    credentials: CredentialCache
    cursors: Cursors
    constraints: Constraints
    trusted_proxies: tuple[Network, ...]
    observe: Observe = observe

    @staticmethod
    def serves(path: str) -> bool:
        return path == "/" or path[1:].partition("/")[0] in _FIRST_SEGMENTS

    async def __call__(self, exchange: Exchange) -> None:
        request = Request(exchange, self.trusted_proxies)
        found: list[WebPage] = []
        await timed(self._serve(request, found), "route", lambda: found[0].name if found else UNMATCHED)

    async def _serve(self, request: Request, found: list[WebPage]) -> None:
        """`found` gets the page once it is known, for the log."""
        page: WebPage | None = None
        try:
            if moved := without_slash(self.router, request):
                answer: Response | StreamingResponse = moved
            else:
                page, params = self._find(request)
                found.append(page)
                answer = await self._answer(request, page, params)
        except Exception as error:  # noqa: BLE001 (the edge: every error becomes a page)
            answer = self._problem_page(request, problem_of(request, error, self.constraints))
        said = {name for name, _ in answer.headers}
        answer.headers += [header for header in SECURITY if header[0] not in said]
        try:
            await send(request, answer)
        finally:
            self.observe(request, page.name if page else UNMATCHED, answer.status)

    def _find(self, request: Request) -> tuple[WebPage, dict[str, str]]:
        found = self.router.find(request.path.removesuffix("/"))
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
        caller, user = NOBODY, None
        if not page.public:
            now = request.now_ms // 1000
            found = await sessions.find_viewer(self.db, self.credentials, cookie, now=now) if cookie else None
            if found is None:
                return _redirect(_login_for(request))
            caller, user = found
            request.caller = caller
            await take_turn(caller.tenant)
            require_permission(page, caller)
        act_as(caller)
        page_request = await self._page_request(request, page, params, caller, cookie)
        outcome = await page.handler(page_request)
        if isinstance(outcome, View):
            return or_not_modified(request, self._rendered(request, page_request, outcome, user))
        if isinstance(outcome, Redirect):
            return _redirect(outcome)
        if isinstance(outcome, Response):
            # A cached response must not collect headers.
            kept = msgspec.structs.replace(outcome, headers=list(outcome.headers))
            return or_not_modified(request, kept)
        return outcome

    async def _page_request(
        self, request: Request, page: WebPage, params: dict[str, str], caller: Caller, cookie: str | None
    ) -> PageRequest[Any, Any]:
        zone, now = zone_of(request), request.now_ms // 1000
        set_viewer(now, zone)
        arguments = read_arguments(request.query_string)
        return PageRequest(
            db=self.replicas.reader() if page.from_replica else self.db,
            cursors=self.cursors,
            caller=caller,
            form=await read_page_form(request, page, zone),
            query=read_query(page, arguments),
            now=now,
            explain=partial(problem_of, request, constraints=self.constraints),
            show_panels=partial(self._panels, request),
            params=params,
            arguments=arguments,
            zone=zone,
            client=request.client,
            cookie=cookie,
            remembered=dict(remembered(request.header("cookie") or "")),
            https=request.https,
            headers=request.headers,
        )

    def _rendered(
        self, request: Request, page_request: PageRequest[Any, Any], view: View, user: CurrentUser | None
    ) -> Response:
        fragment = view.fragments.get(request.header("hx-target") or "")
        values = _common_values(request, page_request)
        if fragment is None:
            values["menu"] = self.menu.shown(page_request.caller.permissions, request.path)
            values["current_user"] = user
        body = page_bytes(self.templates, fragment or view.template, view.values, values)
        # A fragment has the address of the whole page, so no cache may store it.
        if fragment or view.secret or view.status != 200 or request.method == "POST":
            return Response(view.status, body, [_HTML, NOT_KEPT, *view.headers])
        tag = hashlib.blake2b(body, digest_size=12).hexdigest()
        return Response(200, body, [_HTML, ("etag", f'"{tag}"'), _REVALIDATE, *view.headers])

    async def _panels(
        self, request: Request, page_request: PageRequest[Any, Any], of: str, id: str
    ) -> list[RenderedPanel]:
        rendered = []
        for panel in self.panels:
            if panel.of != of or (panel.permission and not page_request.may(panel.permission)):
                continue
            view = await panel.handler(page_request, id)
            if view is not None:
                common = _common_values(request, page_request)
                html = page_bytes(self.templates, view.template, view.values, common).decode()
                rendered.append(RenderedPanel(panel.id, panel.title, html))
        return rendered

    def _problem_page(self, request: Request, problem: Problem) -> Response:
        page = ProblemPage(
            status=problem.status,
            title=HTTPStatus(problem.status).phrase,
            message=problem.message if problem.status < 500 else None,
            request_id=request.id,
        )
        headers = [(name.lower(), value) for name, value in problem.headers.items()]
        body = page_bytes(self.templates, "web/problem.html", page)
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


def _login_for(request: Request) -> Redirect:
    """Logging in leads on to the page asked for; a submitted form is not submitted again."""
    if request.method == "POST" or (request.path == HOME and not request.query_string):
        return Redirect(LOGIN)
    return Redirect(f"{LOGIN}?next={quote(page_asked_for(request.path, request.query_string))}")


def _redirect(redirect: Redirect) -> Response:
    return Response(303, b"", [("location", redirect.to), NOT_KEPT, *redirect.headers])
