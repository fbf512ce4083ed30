from functools import partial

import msgspec

from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.security.permissions import Permission
from steward.users.invitations import actions, queries, rules
from steward.users.invitations.actions import InvitationContext
from steward.users.invitations.model import PAGE, CreatedInvitation, Invitation, NewInvitation

_EXAMPLE = Invitation(
    "inv_00064a1b2c3d4e5f60718293a4b5",
    "ada@example.com",
    "Ada Byron",
    ["rol_00064a1b2c3d4e5f60718293a4b5"],
    "usr_00064a1b2c3d4e5f60718293a4b5",
    1767225600,
    1767830400,
)
_LINK = f"https://steward.example.com{PAGE}/org_00064a1b2c3d4e5f60718293a4b5.Zm9vYmFy"

_INVITATIONS = Resource(
    noun="invitation",
    plural="open invitations",
    tag="Users",
    path="/organizations/{orgId}/users/invitations",
    gives=Invitation,
    example=_EXAMPLE,
    listing=queries.LISTING,
    read_permission=Permission.USERS_READ,
    write_permission=Permission.USERS_WRITE,
)


async def read(call: Call[NoBody, NoQuery]) -> Response:
    invitation = await queries.get(call.db, call.caller.tenant, call.params["invitationId"])
    if invitation is None:
        raise rules.no_such_invitation()
    return one(invitation)


async def invite(context: InvitationContext, call: Call[NewInvitation, NoQuery]) -> Response:
    made = await actions.invite(context, call.context, call.origin, call.body)
    return one(made, status=201, headers=[("location", _INVITATIONS.location(call, made))])


def routes(context: InvitationContext) -> tuple[Route, ...]:
    return (
        _INVITATIONS.list(),
        *_INVITATIONS.exports(),
        _INVITATIONS.route(
            "POST",
            "",
            handler=partial(invite, context),
            summary="Invite a person",
            description="The answer holds a link that works once, for 7 days; it is mailed, too, where the deployment "
            "has a mail server. A person who opens it while logged in adds the organization to their account; "
            "without one they create it. Inviting an address again replaces the earlier invitation. Callers can't assign "
            "roles with permissions that they lack. At most 100 invitations per hour and organization.",
            status=201,
            body=NewInvitation,
            stored_in="invitation_roles",
            # Its rules run after the limit of invitations.
            rehearsed=False,
            body_example={"email": "ada@example.com", "name": "Ada Byron", "roleIds": []},
            gives=CreatedInvitation,
            example=CreatedInvitation(**msgspec.structs.asdict(_EXAMPLE), link=_LINK, mailed=True),
            refusals={409: "A user of the organization has this e-mail address already."},
        ),
        _INVITATIONS.read(handler=read),
        _INVITATIONS.delete(
            actions.withdraw,
            summary="Withdraw an invitation",
            description="Its link no longer works. Callers can't withdraw an invitation with roles that they could not assign.",
        ),
    )
