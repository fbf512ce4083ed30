from functools import partial

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.http.resource import Resource
from steward.kit.http.response import Response, one, plain
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.http.synced import synced
from steward.kit.security.permissions import Permission
from steward.users import actions, queries, rules
from steward.users.erasure import actions as erasure
from steward.users.model import EXAMPLE, ErasedUser, NewUser, ReplacedUser, User, UserChanges, UserQuery


async def read(call: Call[NoBody, NoQuery]) -> Response:
    user = await queries.get(call.db, call.caller.tenant, call.params["userId"])
    if user is None:
        raise rules.no_such_user()
    return one(user)


_USERS = Resource(
    noun="user",
    path="/organizations/{orgId}/users",
    gives=User,
    example=EXAMPLE,
    listing=queries.LISTING,
    query=UserQuery,
    read_permission=Permission.USERS_READ,
    write_permission=Permission.USERS_WRITE,
)


def routes(bus: Invalidator) -> tuple[Route, ...]:
    async def erase(call: Call[NoBody, NoQuery]) -> Response:
        return plain(await erasure.erase(bus, _USERS.target(call)))

    return synced(
        _USERS,
        _USERS.list(),
        *_USERS.exports(),
        _USERS.create(
            partial(actions.create, bus),
            NewUser,
            description="Creates an account that opens this organization only, even if other accounts have the same "
            "e-mail address. One login for several organizations needs an invitation. Callers can't assign roles with "
            "permissions that they lack.",
            stored_in="membership_roles",
            body_example={
                "email": "ada@example.com",
                "name": "Ada Byron",
                "password": "correct horse battery staple",
                "roleIds": [],
            },
            refusals={409: "A user of the organization has this e-mail address already."},
        ),
        _USERS.read(handler=read),
        _USERS.change(
            partial(actions.change, bus),
            UserChanges,
            description="Suspending acts on the next request of the user and of the keys that the user made. A new "
            "password ends every session and token of the account at once. Callers can't change a user who holds "
            "permissions that they lack.",
            stored_in="membership_roles",
            body_example={"status": "Suspended"},
            refusals={
                409: "A user of the organization has this e-mail address already, only the account's holder can "
                "change e-mail address and password, an archived user was to be Active, or the organization would be left without "
                "an administrator."
            },
        ),
        _USERS.delete(
            partial(actions.remove, bus),
            summary="Remove a user from the organization",
            description="Callers can't remove a user who holds permissions that they lack.",
            refusals={
                409: "Records still name the user (archive instead), or the organization would be left without "
                "an administrator."
            },
        ),
        *_USERS.archiving(
            partial(actions.archive, bus),
            partial(actions.restore, bus),
            archives="Suspends the user, which acts on the next request of the user and of the keys that the user made. "
            "Callers can't archive a user who holds permissions that they lack.",
            restores="The user stays Suspended until somebody makes them Active.",
            refusals={409: "The organization would be left without an administrator."},
        ),
        _USERS.route(
            "POST",
            f"{_USERS.item}/erase",
            handler=erase,
            summary="Erase a user",
            description="For somebody who was archived or removed. Name, e-mail address, externalId and metadata are erased here, in every "
            "stored event, in what receivers of webhooks answered to it, in invitations, among the attendees of bookings and in stored "
            "answers; roles, sessions and tokens end. Records keep the identifier, whose name is `Erased person` from then on. The person's account stays where other "
            "organizations know it. Callers can't erase a user who holds permissions that they lack. Erasing again changes nothing.",
            gives=ErasedUser,
            shape="plain",
            example=ErasedUser(EXAMPLE.id, 1775041320),
            refusals={409: "The user is neither archived nor removed."},
        ),
        find=queries.by_external_id,
        replacement=actions.replacement,
        body=ReplacedUser,
        new=rules.new_of,
    )
