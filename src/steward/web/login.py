"""Logging in and out, and choosing the organization for people who belong to several. Works on every plan."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.problems import Forbidden, Problem, TooManyRequests, Unauthenticated
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.tokens import queries
from steward.tokens.actions import LoginContext, open_accounts, share_salt
from steward.tokens.model import Membership
from steward.tokens.rules import SUSPENDED
from steward.users.accounts import actions as accounts
from steward.users.invitations.model import PAGE as INVITATIONS
from steward.web.cookies import clear_session, set_session
from steward.web.deep_links import HOME, LOGIN, own_page

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


class LoginPage(msgspec.Struct, frozen=True):
    next: str
    organization: str
    problem: Problem | None = None
    choices: Sequence[Membership] = ()


class OrganizationsPage(msgspec.Struct, frozen=True):
    memberships: list[Membership]
    next: str


class ChoiceQuery(msgspec.Struct, frozen=True):
    next: str = HOME


class ChoiceForm(msgspec.Struct, frozen=True, rename="camel"):
    organization_id: str
    next: str = HOME


async def home(_request: PageRequest[Any, Any]) -> Redirect:
    return Redirect(HOME)


async def show_login(request: PageRequest[Any, LoginQuery]) -> View:
    return View("web/login.html", LoginPage(own_page(request.query.next), request.query.organization))


async def log_in(
    context: LoginContext, bus: Invalidator, request: PageRequest[LoginForm, Any]
) -> View | Redirect:
    form = request.form.content
    if form is None:
        return _refused(request, None, status=422)
    email = form.email.strip()
    try:
        opened = await open_accounts(
            context, "form", request.client, email, form.password, form.organization or None
        )
    except (Unauthenticated, TooManyRequests) as problem:
        return _refused(request, problem, status=problem.status)
    if len(opened) > 1 and not form.organization:
        return _refused(request, None, status=422, choices=[m for one in opened for m in one.memberships])
    account = opened[0].account
    memberships = [m for m in opened[0].memberships if form.organization in {"", m.organization_id}]
    if not memberships:
        return _refused(request, Unauthenticated(SUSPENDED), status=401)
    await share_salt(context, account, form.password)
    if request.cookie is not None:
        await sessions.end(bus, request.db, request.cookie)
    first = memberships[0]
    cookie = await sessions.begin(
        request.db, first.organization_id, first.user_id, account.generation, now=request.now
    )
    to = own_page(form.next)
    # An invitation has no user yet.
    if not to.startswith(f"{INVITATIONS}/"):
        to = first_page(memberships, to)
    return Redirect(to, set_session(cookie, https=request.https))


def first_page(memberships: Sequence[Membership], to: str = HOME) -> str:
    """The page asked for belongs to one organization; only the person knows which."""
    if len(memberships) <= 1:
        return to
    return _ORGANIZATIONS if to == HOME else f"{_ORGANIZATIONS}?next={quote(to)}"


def _refused(
    request: PageRequest[LoginForm, Any],
    problem: Problem | None,
    *,
    status: int,
    choices: Sequence[Membership] = (),
) -> View:
    headers = [(name.lower(), value) for name, value in (problem.headers if problem else {}).items()]
    form = request.form
    page = LoginPage(own_page(form.value("next", HOME)), form.value("organization"), problem, choices)
    return View("web/login.html", page, status, headers)


async def log_out(bus: Invalidator, request: PageRequest[Any, Any]) -> Redirect:
    if request.cookie is not None:
        await sessions.end(bus, request.db, request.cookie)
    # Clears the browser's cache, so that the back button shows no pages of the session.
    return Redirect(LOGIN, [*clear_session(https=request.https), ("clear-site-data", '"cache"')])


async def show_organizations(request: PageRequest[Any, ChoiceQuery]) -> View:
    page = OrganizationsPage(await _memberships(request), own_page(request.query.next))
    return View("web/organizations.html", page)


async def choose_organization(bus: Invalidator, request: PageRequest[ChoiceForm, Any]) -> Redirect:
    chosen = request.form.value("organizationId")
    to = next((m for m in await _memberships(request) if m.organization_id == chosen), None)
    if to is None:
        raise Forbidden("You don't belong to this organization, or are suspended there.")
    cookie = await sessions.switch_organization(
        bus, request.db, request.cookie or "", to.organization_id, to.user_id, now=request.now
    )
    return Redirect(
        own_page(request.form.value("next", HOME)),
        set_session(cookie, https=request.https) if cookie else [],
    )


async def _memberships(request: PageRequest[Any, Any]) -> list[Membership]:
    account = await accounts.account_of(request.db, request.caller)
    return await queries.memberships(request.db, [account.id])


def pages(context: LoginContext, bus: Invalidator) -> tuple[WebPage, ...]:
    return (
        # A path is looked up without the slash at its end.
        WebPage("GET", "", home, public=True),
        WebPage("GET", LOGIN, show_login, public=True, query=LoginQuery),
        WebPage("POST", LOGIN, partial(log_in, context, bus), public=True, form=LoginForm),
        WebPage("POST", "/app/logout", partial(log_out, bus), public=True),
        WebPage("GET", _ORGANIZATIONS, show_organizations, query=ChoiceQuery),
        WebPage("POST", _ORGANIZATIONS, partial(choose_organization, bus), form=ChoiceForm),
    )
