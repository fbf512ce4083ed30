"""The account page: password, sessions and e-mail address."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.fields import Email
from steward.kit.domain.problems import Conflict, Invalid, TooManyRequests, Unauthenticated
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.tokens.actions import LoginContext, confirm_password
from steward.users.accounts import actions as accounts
from steward.users.accounts.model import Account
from steward.users.model import Password
from steward.web.cookies import set_session

_PATH = "/app/account"
_DONE = {
    "yes": "Your password is changed. Every other session of yours has ended.",
    "email": "Your e-mail address is changed.",
    "sessions": "You are logged out everywhere else.",
}


class PasswordForm(msgspec.Struct, frozen=True, rename="camel"):
    old_password: Annotated[str, Meta(max_length=200)]
    new_password: Password
    repeated: str


class EmailForm(msgspec.Struct, frozen=True):
    email: Email
    password: Annotated[str, Meta(max_length=200)]


class AccountPage(msgspec.Struct, frozen=True, kw_only=True):
    done: str | None
    login_email: str
    sessions: int
    chooses_email: bool


class AccountQuery(msgspec.Struct, frozen=True):
    changed: str = ""


async def show(request: PageRequest[Any, AccountQuery]) -> View:
    return await _page(request, 200, _DONE.get(request.query.changed))


async def change_password(
    context: LoginContext, bus: Invalidator, request: PageRequest[PasswordForm, Any]
) -> View | Redirect:
    request.form.name = "password"
    form = request.form.content
    if form is None:
        return await _page(request, 422)
    if form.repeated != form.new_password:
        request.form.errors["repeated"] = "This is not the same as the new password."
        return await _page(request, 422)
    account = await accounts.account_of(request.db, request.caller)
    if status := await check_password(context, request, account, "oldPassword", form.old_password):
        return await _page(request, status)
    try:
        generation = await accounts.change_password(
            bus, request.db, account, form.new_password, now=request.now
        )
    except Invalid as problem:
        request.form.refuse(problem)
        return await _page(request, problem.status)
    # All other sessions end; this browser gets a new one.
    caller = request.caller
    cookie = await sessions.begin(request.db, caller.tenant, caller.user or "", generation, now=request.now)
    return Redirect(f"{_PATH}?changed=yes", set_session(cookie, https=request.https))


async def change_email(context: LoginContext, request: PageRequest[EmailForm, Any]) -> View | Redirect:
    request.form.name = "email"
    form = request.form.content
    if form is None:
        return await _page(request, 422)
    account = await accounts.account_of(request.db, request.caller)
    if status := await check_password(context, request, account, "password", form.password):
        return await _page(request, status)
    try:
        await accounts.change_email(request.context, form.email, form.password)
    except Conflict as problem:
        if not await accounts.can_change_email(request.db, request.caller):
            raise
        request.form.errors["email"] = problem.message
        return await _page(request, problem.status)
    return Redirect(f"{_PATH}?changed=email")


async def log_out_elsewhere(bus: Invalidator, request: PageRequest[Any, Any]) -> Redirect:
    """All sessions end, and password tokens of the API too. This browser gets a new session that lasts no longer than the old one."""
    caller, now = request.caller, request.now
    account = await accounts.account_of(request.db, caller)
    expires = await sessions.expiry(request.db, request.cookie or "", now=now)
    generation = await accounts.log_out_everywhere(bus, request.db, account)
    cookie = await sessions.begin(
        request.db, caller.tenant, caller.user or "", generation, now=now, expires=expires
    )
    return Redirect(f"{_PATH}?changed=sessions", set_session(cookie, https=request.https))


async def check_password(
    context: LoginContext, request: PageRequest[Any, Any], account: Account, field: str, password: str
) -> int | None:
    """The status to refuse with, and a sentence beside the field, unless this is the person's password."""
    try:
        await confirm_password(context, request.client, account, password)
    except Unauthenticated:
        request.form.errors[field] = "This is not your password."
        return 422
    except TooManyRequests as problem:
        request.form.errors[field] = problem.message
        return problem.status
    return None


async def _page(request: PageRequest[Any, Any], status: int, done: str | None = None) -> View:
    account = await accounts.account_of(request.db, request.caller)
    shown = AccountPage(
        done=done,
        login_email=account.email,
        sessions=await accounts.count_sessions(request.db, account, now=request.now),
        chooses_email=await accounts.can_change_email(request.db, request.caller),
    )
    return View("web/account.html", shown, status, secret=True)


def pages(context: LoginContext, bus: Invalidator) -> tuple[WebPage, ...]:
    return (
        WebPage("GET", _PATH, show, query=AccountQuery),
        WebPage("POST", _PATH, partial(change_password, context, bus), form=PasswordForm),
        WebPage("POST", f"{_PATH}/log-out-elsewhere", partial(log_out_elsewhere, bus)),
        WebPage("POST", f"{_PATH}/email", partial(change_email, context), form=EmailForm),
    )
