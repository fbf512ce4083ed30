"""The pages behind an invitation's link. Nothing happens before the person has confirmed it."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.access import sessions
from steward.access.memory import Memory
from steward.kit.bus import Announcer
from steward.kit.caller import Caller
from steward.kit.pages import Redirect, View, Visit, WebPage
from steward.tokens.actions import Desk
from steward.users import joining, own_account
from steward.users.invitations import PAGE
from steward.users.joining import Joined
from steward.users.model import Account, Password
from steward.web.account import unconfirmed
from steward.web.app import HOME
from steward.web.cookies import set_session
from steward.web.forms import FILL_IN


class JoinForm(msgspec.Struct, frozen=True, rename="camel"):
    # Who was logged in when the page was shown; nobody where it offered to make an account.
    user: Annotated[str, Meta(max_length=40)] = ""
    old_password: Annotated[str, Meta(max_length=200)] = ""
    new_password: Password | UnsetType = UNSET
    repeated: str = ""


class Host(msgspec.Struct, frozen=True):
    """What the pages need."""

    bus: Announcer
    memory: Memory
    desk: Desk


async def show(host: Host, visit: Visit[Any, Any]) -> View:
    return await _page(visit, await _logged_in(host, visit))


async def accept(host: Host, visit: Visit[JoinForm, Any]) -> View | Redirect:
    form = visit.form.content
    caller = await _logged_in(host, visit)
    if form is None:
        return await _page(visit, caller, status=422)
    if form.user and (caller is None or caller.user != form.user):
        # Logged out meanwhile, or somebody else: they see the page that is meant for them, and decide anew.
        return await _page(visit, caller, status=409)
    if not form.user:
        caller = None
    account = None if caller is None else await own_account.account_of(visit.db, caller)
    must_choose = account is None or not account.own_password
    if must_choose and (status := await _wrong(host, visit, form, account)):
        return await _page(visit, caller, status=status)
    password = form.new_password if must_choose and form.new_password is not UNSET else None
    joined = await _join(host, visit, caller, password)
    cookie = await _session(visit, joined, begins=password is not None)
    return Redirect(HOME, set_session(cookie, https=visit.https) if cookie else [])


async def _session(visit: Visit[Any, Any], joined: Joined, *, begins: bool) -> str | None:
    """In the new organization: anew where a password was chosen, otherwise what is left of the one that came here."""
    cookie = visit.cookie or ""
    if not begins:
        return await sessions.move(visit.db, cookie, joined.organization_id, joined.user_id)
    await sessions.end(visit.db, cookie)
    return await sessions.begin(visit.db, joined.organization_id, joined.user_id, joined.generation)


async def _wrong(host: Host, visit: Visit[Any, Any], form: JoinForm, account: Account | None) -> int | None:
    """The status to refuse with where a password is to be chosen and isn't, or not by the account's holder."""
    errors = visit.form.errors
    if form.new_password is UNSET:
        errors["newPassword"] = FILL_IN
    elif form.repeated != form.new_password:
        errors["repeated"] = "This is not the same as the password."
    if account is not None and not form.old_password:
        errors["oldPassword"] = FILL_IN
    if errors or account is None:
        return 422 if errors else None
    return await unconfirmed(host.desk, visit, account, "oldPassword", form.old_password)


async def _join(host: Host, visit: Visit[Any, Any], caller: Caller | None, password: str | None) -> Joined:
    token = visit.params["token"]
    if caller is not None:
        return await joining.join_with(host.bus, visit.db, caller, token, password)
    return await joining.join_with_new_account(host.bus, visit.db, token, password or "")


async def _logged_in(host: Host, visit: Visit[Any, Any]) -> Caller | None:
    return await sessions.caller(visit.db, host.memory, visit.cookie) if visit.cookie else None


async def _page(visit: Visit[Any, Any], caller: Caller | None, *, status: int = 200) -> View:
    offer = await joining.offer(visit.db, visit.params["token"])
    account = None if caller is None else await own_account.account_of(visit.db, caller)
    values = {
        "form": visit.form,
        "offer": offer,
        "account": account,
        "user": caller.user if caller else "",
        "here": f"{PAGE}/{visit.params['token']}",
    }
    return View("web/invitation.html", values, status)


def pages(host: Host) -> tuple[WebPage, ...]:
    path = f"{PAGE}/{{token}}"
    return (
        WebPage(method="GET", path=path, handler=partial(show, host), public=True),
        WebPage(method="POST", path=path, handler=partial(accept, host), public=True, form=JoinForm),
    )
