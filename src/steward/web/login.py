"""Logging in and out, and choosing the organization for people who belong to several. Works on every plan."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit.pages import Redirect, View, Visit, WebPage, empty_form
from steward.kit.problems import Forbidden, Problem, TooManyRequests, Unauthenticated
from steward.tokens import queries
from steward.tokens.actions import SUSPENDED, Desk, open_accounts, share_salt
from steward.tokens.queries import Membership
from steward.users import own_account
from steward.users.invitations import PAGE as INVITATIONS
from steward.web.app import HOME, LOGIN
from steward.web.cookies import clear_session, set_session

_ORGANIZATIONS = "/app/organizations"


class LoginForm(msgspec.Struct, frozen=True):
    email: Annotated[str, Meta(max_length=254)]
    password: Annotated[str, Meta(max_length=200)]
    next: str = HOME
    organization: Annotated[str, Meta(max_length=40)] = ""


class LoginQuery(msgspec.Struct, frozen=True):
    next: str = HOME
    # For people who have an account in each of several organizations: a link that names theirs.
    organization: Annotated[str, Meta(max_length=40)] = ""


class ChoiceForm(msgspec.Struct, frozen=True, rename="camel"):
    organization_id: str


async def home(_visit: Visit[Any, Any]) -> Redirect:
    return Redirect(HOME)


async def show_login(visit: Visit[Any, LoginQuery]) -> View:
    values = {"next": _own_page(visit.query.next), "organization": visit.query.organization}
    return View("web/login.html", {"form": visit.form, "problem": None, "choices": [], **values})


async def log_in(desk: Desk, visit: Visit[LoginForm, Any]) -> View | Redirect:
    form = visit.form.content
    if form is None:
        return _refused(visit, None, status=422)
    email = form.email.strip()
    try:
        opened = await open_accounts(
            desk, "form", visit.client, email, form.password, form.organization or None
        )
    except (Unauthenticated, TooManyRequests) as problem:
        return _refused(visit, problem, status=problem.status)
    if len(opened) > 1 and not form.organization:
        return _refused(visit, None, status=422, choices=[m for one in opened for m in one.memberships])
    account = opened[0].account
    memberships = [m for m in opened[0].memberships if form.organization in {"", m.organization_id}]
    if not memberships:
        return _refused(visit, Unauthenticated(SUSPENDED), status=401)
    await share_salt(desk, account, form.password)
    if visit.cookie is not None:
        await sessions.end(visit.db, visit.cookie)
    first = memberships[0]
    cookie = await sessions.begin(visit.db, first.organization_id, first.user_id, account.generation)
    to = _own_page(form.next)
    # A page that was asked for is one of an organization; which one, only the person knows. An invitation is nobody's yet.
    if len(memberships) > 1 and not to.startswith(f"{INVITATIONS}/"):
        to = _ORGANIZATIONS
    return Redirect(to, set_session(cookie, https=visit.https))


def _refused(
    visit: Visit[LoginForm, Any],
    problem: Problem | None,
    *,
    status: int,
    choices: Sequence[Membership] = (),
) -> View:
    headers = [(name.lower(), value) for name, value in (problem.headers if problem else {}).items()]
    values = {
        "form": visit.form,
        "next": _own_page(visit.form.value("next", HOME)),
        "organization": visit.form.value("organization"),
        "problem": problem,
        "choices": choices,
    }
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
    return View("web/organizations.html", {"memberships": await _memberships(visit), "form": empty_form()})


async def choose_organization(visit: Visit[ChoiceForm, Any]) -> Redirect:
    chosen = visit.form.value("organizationId")
    to = next((m for m in await _memberships(visit) if m.organization_id == chosen), None)
    if to is None:
        raise Forbidden("You don't belong to this organization, or are suspended there.")
    cookie = await sessions.move(visit.db, visit.cookie or "", to.organization_id, to.user_id)
    return Redirect(HOME, set_session(cookie, https=visit.https) if cookie else [])


async def _memberships(visit: Visit[Any, Any]) -> list[Membership]:
    account = await own_account.account_of(visit.db, visit.caller)
    return await queries.memberships(visit.db, [account.id])


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
