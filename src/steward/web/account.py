"""One's own account: its password, and the e-mail address to log in with."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit.bus import Announcer
from steward.kit.fields import Email
from steward.kit.pages import Form, Redirect, View, Visit, WebPage, empty_form
from steward.kit.problems import Conflict, TooManyRequests, Unauthenticated
from steward.tokens.actions import Desk, confirm_password
from steward.users import own_account
from steward.users.model import Account, Password
from steward.web.cookies import set_session

_PATH = "/app/account"
_DONE = {
    "yes": "Your password is changed. Every other session of yours has ended.",
    "email": "Your e-mail address is changed.",
}


class PasswordForm(msgspec.Struct, frozen=True, rename="camel"):
    old_password: Annotated[str, Meta(max_length=200)]
    new_password: Password
    repeated: str


class EmailForm(msgspec.Struct, frozen=True):
    email: Email
    password: Annotated[str, Meta(max_length=200)]


class AccountQuery(msgspec.Struct, frozen=True):
    changed: str = ""


async def show(visit: Visit[Any, AccountQuery]) -> View:
    return await _page(visit, done=_DONE.get(visit.query.changed))


async def change_password(desk: Desk, bus: Announcer, visit: Visit[PasswordForm, Any]) -> View | Redirect:
    form = visit.form.content
    if form is None:
        return await _page(visit, password=visit.form, status=422)
    if form.repeated != form.new_password:
        visit.form.errors["repeated"] = "This is not the same as the new password."
        return await _page(visit, password=visit.form, status=422)
    account = await own_account.account_of(visit.db, visit.caller)
    if status := await unconfirmed(desk, visit, account, "oldPassword", form.old_password):
        return await _page(visit, password=visit.form, status=status)
    generation = await own_account.change_password(bus, visit.db, account, form.new_password)
    # Whoever knew the old password is out; this browser goes on with a session of its own.
    caller = visit.caller
    cookie = await sessions.begin(visit.db, caller.tenant, caller.user or "", generation)
    return Redirect(f"{_PATH}?changed=yes", set_session(cookie, https=visit.https))


async def change_email(desk: Desk, visit: Visit[EmailForm, Any]) -> View | Redirect:
    form = visit.form.content
    if form is None:
        return await _page(visit, email=visit.form, status=422)
    account = await own_account.account_of(visit.db, visit.caller)
    if status := await unconfirmed(desk, visit, account, "password", form.password):
        return await _page(visit, email=visit.form, status=status)
    try:
        await own_account.change_email(visit.db, visit.caller, form.email, form.password)
    except Conflict as problem:
        if not await own_account.chooses_email(visit.db, visit.caller):
            raise
        visit.form.errors["email"] = problem.message
        return await _page(visit, email=visit.form, status=problem.status)
    return Redirect(f"{_PATH}?changed=email")


async def unconfirmed(
    desk: Desk, visit: Visit[Any, Any], account: Account, field: str, password: str
) -> int | None:
    """The status to refuse with, and a sentence beside the field, unless this is the person's password."""
    try:
        await confirm_password(desk, visit.client, account, password)
    except Unauthenticated:
        visit.form.errors[field] = "This is not your password."
        return 422
    except TooManyRequests as problem:
        visit.form.errors[field] = problem.message
        return problem.status
    return None


async def _page(
    visit: Visit[Any, Any],
    *,
    password: Form[Any] | None = None,
    email: Form[Any] | None = None,
    done: str | None = None,
    status: int = 200,
) -> View:
    account = await own_account.account_of(visit.db, visit.caller)
    values = {
        "form": password or empty_form(),
        "email_form": email or empty_form(),
        "done": done,
        "login_email": account.email,
        "chooses_email": await own_account.chooses_email(visit.db, visit.caller),
    }
    return View("web/account.html", values, status)


def pages(desk: Desk, bus: Announcer) -> tuple[WebPage, ...]:
    return (
        WebPage(method="GET", path=_PATH, handler=show, query=AccountQuery),
        WebPage(method="POST", path=_PATH, handler=partial(change_password, desk, bus), form=PasswordForm),
        WebPage(method="POST", path=f"{_PATH}/email", handler=partial(change_email, desk), form=EmailForm),
    )
