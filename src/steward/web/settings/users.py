"""Users of the organization: invite, set roles, suspend, reset the password, remove."""

from functools import partial
from typing import Any

import msgspec

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.list_query import PageQuery
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import ARCHIVED, Choice, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.submit import submit
from steward.roles import queries as roles
from steward.roles.model import Role
from steward.users import actions, queries, rules
from steward.users.erasure import actions as erasure
from steward.users.invitations import actions as invitations
from steward.users.invitations import queries as invitation_queries
from steward.users.invitations.actions import InvitationContext
from steward.users.invitations.model import CreatedInvitation, Invitation, NewInvitation
from steward.users.model import User, UserChanges, UserQuery, UserStatus

PATH = "/app/settings/users"
_OPEN_INVITATIONS = 50


class ListedUsers(msgspec.Struct, frozen=True):
    invitations: list[Invitation]


async def _context(request: PageRequest[Any, Any], _rows: list[User]) -> ListedUsers:
    found = await invitation_queries.LISTING.page(
        request.db, request.cursors, request.caller.tenant, PageQuery(limit=_OPEN_INVITATIONS)
    )
    return ListedUsers([msgspec.json.decode(item, type=Invitation) for item in found.items])


LIST = ListPage(
    path=PATH,
    title="Users",
    listing=queries.LISTING,
    record=User,
    query=UserQuery,
    permission=Permission.USERS_READ,
    write_permission=Permission.USERS_WRITE,
    new="Invite a person",
    search="Search name or e-mail",
    template="web/settings_users.html",
    columns=(
        Column(field="name", title="Name", cell=cells.link, sort="name"),
        Column(field="email", title="E-mail"),
        Column(field="role_ids", title="Roles", cell=cells.names, lookup=roles.LOOKUP),
        Column(field="status", title="Status", cell=cells.status),
        Column(field="created", title="Since", cell=cells.when, sort="created"),
    ),
    filters=(Choice(name="status", title="Status", options=choices(UserStatus)), ARCHIVED),
    empty=EmptyState("No users", "Invite the first person."),
    context=_context,
)


class InvitePage(msgspec.Struct, frozen=True):
    roles: list[Role]


class UserPage(msgspec.Struct, frozen=True, kw_only=True):
    user: User
    roles: list[Role]
    is_self: bool


async def show_invite(request: PageRequest[Any, Any], status: int) -> View:
    page = InvitePage(await roles.all_roles(request.db, request.caller.tenant))
    return View("web/settings_invite.html", page, status)


async def invite(context: InvitationContext, request: PageRequest[NewInvitation, Any]) -> View | Redirect:
    return await submit(
        request,
        lambda new: invitations.invite(context, request.context, request, new),
        to=_invited,
        again=partial(show_invite, request),
        name="new",
    )


def _invited(made: CreatedInvitation) -> View:
    return View("web/settings_invited.html", made, 201, secret=True)


async def withdraw(request: PageRequest[Any, Any]) -> Redirect:
    await invitations.withdraw(request.context.on(request.params["invitationId"]))
    return Redirect(PATH)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    user = await queries.get(request.db, request.caller.tenant, request.params["userId"])
    if user is None:
        raise rules.no_such_user()
    page = UserPage(
        user=user,
        roles=await roles.all_roles(request.db, request.caller.tenant),
        is_self=user.id == request.caller.user,
    )
    return View("web/settings_user.html", page, status)


RECORD = RecordPages(
    path=PATH,
    id_name="userId",
    read_permission=Permission.USERS_READ,
    write_permission=Permission.USERS_WRITE,
    show=show_one,
    show_new=show_invite,
)


def pages(bus: Invalidator, context: InvitationContext) -> tuple[WebPage, ...]:
    writes = Permission.USERS_WRITE
    withdrawn = f"{PATH}/invitations/{{invitationId}}/withdraw"
    return (
        *LIST.pages(),
        RECORD.new(),
        WebPage("POST", PATH, partial(invite, context), writes, form=NewInvitation),
        WebPage("POST", withdrawn, withdraw, writes),
        RECORD.read(),
        RECORD.change(partial(actions.change, bus), form=UserChanges),
        RECORD.delete(partial(actions.remove, bus)),
        RECORD.move("erase", partial(erasure.erase, bus)),
        *RECORD.archiving(partial(actions.archive, bus), partial(actions.restore, bus)),
    )
