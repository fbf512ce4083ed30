from functools import partial

from steward.kit.bus import Announcer
from steward.kit.http.answer import Answer, created, deleted, one, page
from steward.kit.http.resource import Resource
from steward.kit.http.route import Call, NoBody, NoQuery, Route
from steward.kit.page import PageQuery
from steward.kit.permissions import Permission
from steward.users import actions, queries
from steward.users.model import NewUser, User, UserChanges, UserStatus

_EXAMPLE = User(
    "usr_00064a1b2c3d4e5f60718293a4b5",
    "ada@example.com",
    "Ada Byron",
    UserStatus.ACTIVE,
    ["rol_00064a1b2c3d4e5f60718293a4b5"],
    1767225600,
    1767225600,
)


async def list_users(call: Call[NoBody, PageQuery]) -> Answer:
    return page(await queries.LISTING.page(call.db, call.cursors, call.caller.tenant, call.query))


async def read(call: Call[NoBody, NoQuery]) -> Answer:
    user = await queries.get(call.db, call.caller.tenant, call.params["userId"])
    if user is None:
        raise actions.no_such_user()
    return one(user)


async def create(call: Call[NewUser, NoQuery]) -> Answer:
    user = await actions.create(call.db, call.caller, call.body)
    return created(user, call.location(f"users/{user.id}"))


async def change(bus: Announcer, call: Call[UserChanges, NoQuery]) -> Answer:
    user_id = call.params["userId"]
    return one(
        await actions.change(call.db, bus, call.caller, user_id, changes=call.body, if_match=call.if_match)
    )


async def delete(bus: Announcer, call: Call[NoBody, NoQuery]) -> Answer:
    await actions.remove(call.db, bus, call.caller, call.params["userId"], call.if_match)
    return deleted()


_USERS = Resource(
    tag="Users",
    path="/organizations/{orgId}/users",
    id_name="userId",
    gives=User,
    example=_EXAMPLE,
    read_permission=Permission.USERS_READ,
    write_permission=Permission.USERS_WRITE,
)


def routes(bus: Announcer) -> tuple[Route, ...]:
    return (
        _USERS.list(list_users, "List users"),
        _USERS.create(
            create,
            "Create a user",
            description="If the e-mail address already has an account in another organization, that account joins "
            "this one and keeps its password. Nobody can assign roles with permissions that they lack.",
            body=NewUser,
            body_example={
                "email": "ada@example.com",
                "name": "Ada Byron",
                "password": "correct horse battery staple",
                "roleIds": [],
            },
            refusals={409: "This person is a user of the organization already."},
        ),
        _USERS.read(read, "Read a user"),
        _USERS.change(
            partial(change, bus),
            "Change a user",
            description="Suspending acts on the next request of the user and of the keys that the user made.",
            body=UserChanges,
            body_example={"status": "Suspended"},
            refusals={
                409: "The e-mail address is taken, the account belongs to several organizations, or the "
                "organization would be left without an administrator."
            },
        ),
        _USERS.delete(
            partial(delete, bus),
            "Remove a user from the organization",
            refusals={
                409: "Records still name the user (suspend instead), or the organization would be left without "
                "an administrator."
            },
        ),
    )
