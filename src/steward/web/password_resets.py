"""Forgotten passwords: request a link, set a password with it, and links that administrators create for others."""

from functools import partial
from typing import Any

import msgspec

from steward.access import sessions
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.fields import Email
from steward.kit.domain.problems import Invalid, TooManyRequests
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.tokens import queries as token_queries
from steward.users import queries as user_queries
from steward.users import rules as user_rules
from steward.users.invitations.rules import own_url
from steward.users.model import Password, User
from steward.users.password_resets import actions
from steward.users.password_resets.actions import ResetMail
from steward.users.password_resets.model import PAGE, IssuedLink
from steward.web.cookies import set_session
from steward.web.deep_links import LOGIN
from steward.web.login import first_page
from steward.web.security_headers import SECRET_ADDRESS

_FORGOT = "/app/forgot-password"
_ISSUE = "/app/users/{userId}/reset-link"


class ForgotForm(msgspec.Struct, frozen=True):
    email: Email


class ForgotQuery(msgspec.Struct, frozen=True):
    sent: str = ""


class ForgotPage(msgspec.Struct, frozen=True):
    mails: bool
    sent: bool
    problem: TooManyRequests | None


class ResetPage(msgspec.Struct, frozen=True):
    email: str
    here: str


class IssuePage(msgspec.Struct, frozen=True):
    """Before and after the link is made."""

    user: User | None = None
    issued: IssuedLink | None = None


class NewPasswordForm(msgspec.Struct, frozen=True, rename="camel"):
    new_password: Password
    repeated: str


async def show_forgot(mail: ResetMail, request: PageRequest[Any, ForgotQuery]) -> View:
    return _forgot(mail, sent=bool(request.query.sent))


async def ask(mail: ResetMail, request: PageRequest[ForgotForm, Any]) -> View | Redirect:
    """The answer is the same for every address."""
    form = request.form.content
    if not mail.possible:
        return _forgot(mail)
    if form is None:
        return _forgot(mail, status=422)
    try:
        await actions.request_link(mail, request.db, request.client, form.email, now=request.now)
    except TooManyRequests as problem:
        return _forgot(mail, problem=problem, status=problem.status)
    return Redirect(f"{_FORGOT}?sent=yes")


def _forgot(
    mail: ResetMail,
    *,
    sent: bool = False,
    problem: TooManyRequests | None = None,
    status: int = 200,
) -> View:
    headers = [(name.lower(), value) for name, value in (problem.headers if problem else {}).items()]
    return View("web/forgot_password.html", ForgotPage(mail.possible, sent, problem), status, headers)


async def show_reset(request: PageRequest[Any, Any]) -> View:
    return await _reset(request)


async def set_password(bus: Invalidator, request: PageRequest[NewPasswordForm, Any]) -> View | Redirect:
    """Setting a password also logs in: the login itself may be paused after wrong passwords."""
    form = request.form.content
    if form is not None and form.repeated != form.new_password:
        request.form.errors["repeated"] = "This is not the same as the password."
    if form is None or request.form.errors:
        return await _reset(request, status=422)
    try:
        account = await actions.set_password(
            bus, request.db, request.params["token"], form.new_password, now=request.now
        )
    except Invalid as problem:
        request.form.refuse(problem)
        return await _reset(request, status=problem.status)
    memberships = await token_queries.memberships(request.db, [account.id])
    if not memberships:
        return Redirect(LOGIN)
    if request.cookie is not None:
        await sessions.end(bus, request.db, request.cookie)
    first = memberships[0]
    cookie = await sessions.begin(
        request.db, first.organization_id, first.user_id, account.generation, now=request.now
    )
    return Redirect(first_page(memberships), set_session(cookie, https=request.https))


async def _reset(request: PageRequest[Any, Any], *, status: int = 200) -> View:
    token = request.params["token"]
    found = await actions.find_open(request.db, token, now=request.now)
    page = ResetPage(found.email, f"{PAGE}/{token}")
    return View("web/password_reset.html", page, status, SECRET_ADDRESS, secret=True)


async def show_issue(request: PageRequest[Any, Any]) -> View:
    user = await user_queries.get(request.db, request.caller.tenant, request.params["userId"])
    if user is None:
        raise user_rules.no_such_user()
    return View("web/reset_link.html", IssuePage(user=user))


async def issue(mail: ResetMail, request: PageRequest[Any, Any]) -> View:
    """The link uses the administrator's address of the service, unless a setting has one."""
    base_url = mail.public_url or own_url(request.host, https=request.https)
    issued = await actions.issue_link(request.context.on(request.params["userId"]), base_url)
    return View("web/reset_link.html", IssuePage(issued=issued), 201, secret=True)


def pages(bus: Invalidator, mail: ResetMail) -> tuple[WebPage, ...]:
    reset, writes = f"{PAGE}/{{token}}", Permission.USERS_WRITE
    return (
        WebPage("GET", _FORGOT, partial(show_forgot, mail), public=True, query=ForgotQuery),
        WebPage("POST", _FORGOT, partial(ask, mail), public=True, form=ForgotForm),
        WebPage("GET", reset, show_reset, public=True),
        WebPage("POST", reset, partial(set_password, bus), public=True, form=NewPasswordForm),
        WebPage("GET", _ISSUE, show_issue, writes),
        WebPage("POST", _ISSUE, partial(issue, mail), writes),
    )
