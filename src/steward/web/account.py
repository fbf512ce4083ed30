"""One's own account: the password, which only its holder can change."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.access import sessions
from steward.kit import clock
from steward.kit.pages import Redirect, View, Visit, WebPage
from steward.kit.passwords import hash_password
from steward.kit.problems import TooManyRequests, Unauthenticated
from steward.tokens import queries as accounts
from steward.tokens.actions import Desk, check_password
from steward.users import queries as users
from steward.users.model import Password

_PATH = "/app/account"


class PasswordForm(msgspec.Struct, frozen=True, rename="camel"):
    old_password: Annotated[str, Meta(max_length=200)]
    new_password: Password
    repeated: str


class AccountQuery(msgspec.Struct, frozen=True):
    changed: str = ""


async def show(visit: Visit[Any, AccountQuery]) -> View:
    return View("web/account.html", {"form": visit.form, "changed": bool(visit.query.changed)})


async def change_password(desk: Desk, visit: Visit[PasswordForm, Any]) -> View | Redirect:
    form, errors = visit.form.content, visit.form.errors
    if form is None:
        return _again(visit, 422)
    if form.repeated != form.new_password:
        errors["repeated"] = "This is not the same as the new password."
        return _again(visit, 422)
    user_id = visit.caller.user or ""
    try:
        await check_password(
            desk, visit.client, await accounts.email_of(visit.db, user_id), form.old_password
        )
    except Unauthenticated:
        errors["oldPassword"] = "This is not your password."
        return _again(visit, 422)
    except TooManyRequests as problem:
        errors["oldPassword"] = problem.message
        return _again(visit, problem.status)
    await _store(visit, user_id, form.new_password)
    return Redirect(f"{_PATH}?changed=yes")


async def _store(visit: Visit[PasswordForm, Any], user_id: str, password: str) -> None:
    """Whoever knew the old password is out: only this session goes on."""
    password_hash = await hash_password(password)
    async with visit.db.transaction() as tx:
        await users.set_password(tx, user_id, password_hash, clock.now())
        await sessions.end_others(tx, user_id, visit.cookie or "")


def _again(visit: Visit[PasswordForm, Any], status: int) -> View:
    return View("web/account.html", {"form": visit.form, "changed": False}, status)


def pages(desk: Desk) -> tuple[WebPage, ...]:
    return (
        WebPage(method="GET", path=_PATH, handler=show, query=AccountQuery),
        WebPage(method="POST", path=_PATH, handler=partial(change_password, desk), form=PasswordForm),
    )
