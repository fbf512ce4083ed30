"""Serves every page in the same way.

page → same origin (forms only) → session → permission → form → handler → template
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

import jinja2

from steward.access import sessions
from steward.access.credential_cache import CredentialCache
from steward.kit.db.constraints import Constraints
from steward.kit.db.pagination import Cursors
from steward.kit.db.pool import Database
from steward.kit.domain.problems import Forbidden, MethodNotAllowed, NotFound, Problem
from steward.kit.http.access_log import observe
from steward.kit.http.app import problem_behind, send_answer, unless_known
from steward.kit.http.decoding import read_query
from steward.kit.http.request import Request
from steward.kit.http.response import NOT_KEPT, Headers, Response
from steward.kit.http.route import NoQuery
from steward.kit.http.router import Router
from steward.kit.http.server.exchange import Exchange
from steward.kit.http.web_page import PageRequest, Redirect, View, WebPage, empty_form
from steward.kit.runtime.loop_watch import timed
from steward.kit.security.caller import NOBODY, Caller
from steward.kit.security.permissions import MEANINGS
from steward.settings import Network
from steward.web import queries
from steward.web.cookies import session_cookie
from steward.web.form_data import read_form
from steward.web.origin import require_same_origin
from steward.web.rendering import page_bytes

LOGIN = "/app/login"
HOME = "/app"
_FIRST_SEGMENTS = frozenset({"app", "docs", "static", "favicon.ico", "favicon.svg"})

_HTML = ("content-type", "text/html; charset=utf-8")
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY: Headers = [
    ("content-security-policy", _POLICY),
    # Not `no-referrer`: with it, browsers hide the origin of our own forms from us.
    ("referrer-policy", "same-origin"),
]


class WebApp:
    """The application of everything that people look at."""

    def __init__(
        self,
        pages: Iterable[WebPage],
        *,
        templates: jinja2.Environment,
        db: Database,
        credentials: CredentialCache,
        cursors: Cursors,
        constraints: Constraints,
        trusted_proxies: tuple[Network, ...],
    ) -> None:
        pages = tuple(pages)
        self._router = Router(pages)
        self._menu = [page for page in pages if page.menu]
        self._templates = templates
        self._db = db
        self._credentials = credentials
        self._cursors = cursors
        self._constraints = constraints
        self._trusted_proxies = trusted_proxies

    @staticmethod
    def serves(path: str) -> bool:
        return path == "/" or path[1:].partition("/")[0] in _FIRST_SEGMENTS

    async def __call__(self, exchange: Exchange) -> None:
        request = Request(exchange, self._trusted_proxies)
        found: list[WebPage] = []
        await timed(self._serve(request, found), "route", lambda: found[0].name if found else "none")

    async def _serve(self, request: Request, found: list[WebPage]) -> None:
        """`found` is for the page, once it is known."""
        page: WebPage | None = None
        try:
            page, params = self._find(request)
            found.append(page)
            answer = await self._answer(request, page, params)
        except Exception as error:  # noqa: BLE001 (the edge: whatever went wrong becomes a page)
            answer = self._problem_page(request, problem_behind(request, error, self._constraints))
        answer.headers += _SECURITY
        send_answer(request, answer)
        observe(request, page.name if page else "none", answer.status)

    def _find(self, request: Request) -> tuple[WebPage, dict[str, str]]:
        found = self._router.find(request.path.rstrip("/"))
        # No identifier of ours holds these, and the database would not take them.
        if found is None or "\0" in request.path or "\ufffd" in request.path:
            raise NotFound("There is no such page.")
        methods, params = found
        page = methods.get("GET" if request.method == "HEAD" else request.method)
        if page is None:
            raise MethodNotAllowed(
                "This page can't be used like that.", headers={"Allow": ", ".join(methods)}
            )
        return page, params

    async def _answer(self, request: Request, page: WebPage, params: dict[str, str]) -> Response:
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
            _require_permission(page, caller)
        page_request = await self._page_request(request, page, caller)
        page_request.params = params
        page_request.cookie = cookie
        outcome = await page.handler(page_request)
        match outcome:
            case Redirect():
                return _redirect(outcome)
            case View():
                return await self._rendered(request, caller, outcome)
            case Response():
                # Answers that are kept between requests must not gather headers.
                return unless_known(request, Response(outcome.status, outcome.body, list(outcome.headers)))

    async def _page_request(self, request: Request, page: WebPage, caller: Caller) -> PageRequest[Any, Any]:
        query_string = "" if page.query is NoQuery else request.query_string
        page_request: PageRequest[Any, Any] = PageRequest(
            db=self._db,
            cursors=self._cursors,
            caller=caller,
            form=await read_form(request, page.form) if page.form else empty_form(),
            query=read_query(page.query, query_string),
            now=request.now_ms // 1000,
        )
        page_request.client = request.client
        page_request.https = request.https
        return page_request

    async def _rendered(self, request: Request, caller: Caller, view: View) -> Response:
        current_user = (
            None if caller.user is None else await queries.current_user(self._db, caller.tenant, caller.user)
        )
        menu = [
            page for page in self._menu if page.permission is None or page.permission in caller.permissions
        ]
        values = {
            "current_user": current_user,
            "caller": caller,
            "menu": menu,
            "path": request.path,
            "now": request.now_ms // 1000,
            **view.values,
        }
        body = page_bytes(self._templates, view.template, values)
        return Response(view.status, body, [_HTML, NOT_KEPT, *view.headers])

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


def _require_permission(page: WebPage, caller: Caller) -> None:
    if page.permission is not None and page.permission not in caller.permissions:
        raise Forbidden(
            f"This needs the permission {page.permission} ({MEANINGS[page.permission]}), which you don't have. "
            "Somebody who administers your organization can give you a role that includes it."
        )


def _login_for(request: Request) -> Redirect:
    """After logging in, people find themselves where they wanted to go; a form that was sent is not sent again."""
    if request.method == "POST" or request.path == HOME:
        return Redirect(LOGIN)
    return Redirect(f"{LOGIN}?next={quote(request.path)}")


def _redirect(redirect: Redirect) -> Response:
    return Response(303, b"", [("location", redirect.to), NOT_KEPT, *redirect.headers])
