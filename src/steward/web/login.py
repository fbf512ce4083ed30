"""Logging in and out, and choosing the organization for people who belong to several. Works on every plan."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit.pages import Redirect, View, Visit, WebPage, empty_form
from steward.kit.problems import Forbidden, Problem, TooManyRequests, Unauthenticated
from steward.tokens import queries as accounts
from steward.tokens.actions import Desk, check_password
from steward.web.app import HOME, LOGIN
from steward.web.cookies import clear_session, set_session

_ORGANIZATIONS = "/app/organizations"


class LoginForm(msgspec.Struct, frozen=True):
    email: Annotated[str, Meta(max_length=254)]
    password: Annotated[str, Meta(max_length=200)]
    next: str = HOME


class LoginQuery(msgspec.Struct, frozen=True):
    next: str = HOME


class ChoiceForm(msgspec.Struct, frozen=True, rename="camel"):
    organization_id: str


async def home(_visit: Visit[Any, Any]) -> Redirect:
    return Redirect(HOME)


async def show_login(visit: Visit[Any, LoginQuery]) -> View:
    return View("web/login.html", {"form": visit.form, "next": _own_page(visit.query.next), "problem": None})


async def log_in(desk: Desk, visit: Visit[LoginForm, Any]) -> View | Redirect:
    form = visit.form.content
    if form is None:
        return _refused(visit, None, status=422)
    try:
        account = await check_password(desk, visit.client, form.email.strip(), form.password)
    except (Unauthenticated, TooManyRequests) as problem:
        return _refused(visit, problem, status=problem.status)
    memberships = await accounts.memberships(visit.db, account.id)
    if not memberships:
        return _refused(visit, Unauthenticated("This account is suspended."), status=401)
    if visit.cookie is not None:
        await sessions.end(visit.db, visit.cookie)
    cookie = await sessions.begin(visit.db, memberships[0].organization_id, account.id)
    to = _own_page(form.next) if len(memberships) == 1 else _ORGANIZATIONS
    return Redirect(to, set_session(cookie, https=visit.https))


def _refused(visit: Visit[LoginForm, Any], problem: Problem | None, *, status: int) -> View:
    headers = [(name.lower(), value) for name, value in (problem.headers if problem else {}).items()]
    values = {"form": visit.form, "next": _own_page(visit.form.value("next", HOME)), "problem": problem}
    return View("web/login.html", values, status, headers)


def _own_page(path: str) -> str:
    """A link may name where to go after logging in, but only to a page of ours."""
    inside = path == HOME or path.startswith(f"{HOME}/")
    return path if inside and path.isascii() and path.isprintable() and "\\" not in path else HOME


async def log_out(visit: Visit[Any, Any]) -> Redirect:
    if visit.cookie is not None:
        await sessions.end(visit.db, visit.cookie)
    return Redirect(LOGIN, clear_session(https=visit.https))


async def show_organizations(visit: Visit[Any, Any]) -> View:
    memberships = await accounts.memberships(visit.db, visit.caller.user or "")
    return View("web/organizations.html", {"memberships": memberships, "form": empty_form()})


async def choose_organization(visit: Visit[ChoiceForm, Any]) -> Redirect:
    user_id = visit.caller.user or ""
    chosen = visit.form.value("organizationId")
    if all(m.organization_id != chosen for m in await accounts.memberships(visit.db, user_id)):
        raise Forbidden("You don't belong to this organization, or are suspended there.")
    if visit.cookie is not None:
        await sessions.end(visit.db, visit.cookie)
    cookie = await sessions.begin(visit.db, chosen, user_id)
    return Redirect(HOME, set_session(cookie, https=visit.https))


def pages(desk: Desk) -> tuple[WebPage, ...]:
    return (
        # A path is looked up without the slash at its end.
        WebPage(method="GET", path="", handler=home, public=True),
        WebPage(method="GET", path=LOGIN, handler=show_login, public=True, query=LoginQuery),
        WebPage(method="POST", path=LOGIN, handler=partial(log_in, desk), public=True, form=LoginForm),
        WebPage(method="POST", path="/app/logout", handler=log_out, public=True),
        WebPage(method="GET", path=_ORGANIZATIONS, handler=show_organizations),
        WebPage(method="POST", path=_ORGANIZATIONS, handler=choose_organization, form=ChoiceForm),
    )
