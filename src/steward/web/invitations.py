"""The pages behind an invitation's link. Nothing happens before the person has confirmed it."""

from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.access import sessions
from steward.access.credential_cache import CredentialCache
from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.problems import Invalid
from steward.kit.security.caller import Caller
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.tokens.actions import LoginContext
from steward.users.accounts import actions as accounts
from steward.users.accounts.model import Account
from steward.users.invitations import actions
from steward.users.invitations.model import PAGE, AcceptedInvitation, Offer
from steward.users.model import Password
from steward.web.account import check_password
from steward.web.cookies import set_session
from steward.web.deep_links import HOME
from steward.web.form_values import FILL_IN
from steward.web.security_headers import SECRET_ADDRESS


class JoinForm(msgspec.Struct, frozen=True, rename="camel"):
    # The user logged in when the page was shown; blank if it offered to create an account.
    user: Annotated[str, Meta(max_length=40)] = ""
    old_password: Annotated[str, Meta(max_length=200)] = ""
    new_password: Password | UnsetType = UNSET
    repeated: str = ""


class InvitationPage(msgspec.Struct, frozen=True, kw_only=True):
    offer: Offer
    # Of the user who is logged in.
    account: Account | None
    enters_password: bool
    user: str
    here: str


class AcceptanceContext(msgspec.Struct, frozen=True):
    """What the pages need."""

    bus: Invalidator
    credentials: CredentialCache
    login: LoginContext


async def show(context: AcceptanceContext, request: PageRequest[Any, Any]) -> View:
    return await _page(request, await _logged_in(context, request))


async def accept(context: AcceptanceContext, request: PageRequest[JoinForm, Any]) -> View | Redirect:
    form = request.form.content
    caller = await _logged_in(context, request)
    if form is None:
        return await _page(request, caller, status=422)
    if form.user and (caller is None or caller.user != form.user):
        # Another person is logged in now: show the page for them.
        return await _page(request, caller, status=409)
    if not form.user:
        caller = None
    account = None if caller is None else await accounts.account_of(request.db, caller)
    chooses = account is None or not account.own_password
    if status := await _check_form(context, request, form, account):
        return await _page(request, caller, status=status)
    password = form.new_password if chooses and form.new_password is not UNSET else None
    try:
        joined = await _join(context, request, caller, password)
    except Invalid as problem:
        request.form.refuse(problem)
        return await _page(request, caller, status=problem.status)
    cookie = await _session(context.bus, request, joined, begins=password is not None)
    return Redirect(HOME, set_session(cookie, https=request.https) if cookie else [])


async def _session(
    bus: Invalidator, request: PageRequest[Any, Any], joined: AcceptedInvitation, *, begins: bool
) -> str | None:
    """In the new organization: anew where a password was chosen, otherwise what is left of the one that came here."""
    cookie = request.cookie or ""
    if not begins:
        return await sessions.switch_organization(
            bus, request.db, cookie, joined.organization_id, joined.user_id, now=request.now
        )
    await sessions.end(bus, request.db, cookie)
    return await sessions.begin(
        request.db, joined.organization_id, joined.user_id, joined.generation, now=request.now
    )


async def _check_form(
    context: AcceptanceContext, request: PageRequest[Any, Any], form: JoinForm, account: Account | None
) -> int | None:
    """The status to refuse with where a password is to be chosen and isn't, or where it isn't surely the account's holder."""
    errors = request.form.errors
    if account is None or not account.own_password:
        _check_new_password(errors, form)
    enters = account is not None and await _enters_password(request, account)
    if enters and not form.old_password:
        errors["oldPassword"] = FILL_IN
    if errors or account is None or not enters:
        return 422 if errors else None
    return await check_password(context.login, request, account, "oldPassword", form.old_password)


def _check_new_password(errors: dict[str, str], form: JoinForm) -> None:
    if form.new_password is UNSET:
        errors["newPassword"] = FILL_IN
    elif form.repeated != form.new_password:
        errors["repeated"] = "This is not the same as the password."


async def _enters_password(request: PageRequest[Any, Any], account: Account) -> bool:
    """Only the account's holder may join, not anyone at a logged-in browser."""
    return not account.own_password or not await sessions.is_fresh(
        request.db, request.cookie or "", now=request.now
    )


async def _join(
    context: AcceptanceContext, request: PageRequest[Any, Any], caller: Caller | None, password: str | None
) -> AcceptedInvitation:
    token = request.params["token"]
    if caller is not None:
        return await actions.accept_with_account(
            context.bus, msgspec.structs.replace(request.context, who=caller), token, password
        )
    return await actions.accept_with_new_account(
        context.bus, request.db, token, password or "", now=request.now
    )


async def _logged_in(context: AcceptanceContext, request: PageRequest[Any, Any]) -> Caller | None:
    if request.cookie is None:
        return None
    found = await sessions.find_viewer(request.db, context.credentials, request.cookie, now=request.now)
    return found[0] if found else None


async def _page(request: PageRequest[Any, Any], caller: Caller | None, *, status: int = 200) -> View:
    offer = await actions.find_offer(request.db, request.params["token"], now=request.now)
    account = None if caller is None else await accounts.account_of(request.db, caller)
    page = InvitationPage(
        offer=offer,
        account=account,
        enters_password=account is not None and await _enters_password(request, account),
        user=(caller.user if caller else None) or "",
        here=f"{PAGE}/{request.params['token']}",
    )
    return View("web/invitation.html", page, status, SECRET_ADDRESS, secret=True)


def pages(context: AcceptanceContext) -> tuple[WebPage, ...]:
    path = f"{PAGE}/{{token}}"
    return (
        WebPage("GET", path, partial(show, context), public=True),
        WebPage("POST", path, partial(accept, context), public=True, form=JoinForm),
    )
