from collections.abc import Iterable

import msgspec

from steward.kit.domain.archiving import is_archived
from steward.kit.domain.problems import Conflict
from steward.users.events import ERASED
from steward.users.model import ErasedUser, User

NAME = "Erased person"
# Of no real mailbox (RFC 2606), and one for each, since addresses are unique.
_ADDRESS = "{}@erased.invalid"


def address(user_id: str) -> str:
    return _ADDRESS.format(user_id)


def blanks(user_id: str) -> dict[str, object]:
    """What replaces the personal data of a user in events."""
    return {"name": NAME, "email": address(user_id), "externalId": None, "metadata": {}}


def check_erasable(user: User) -> None:
    """A user who can log in can't be erased."""
    if not is_archived(user):
        raise Conflict("Only somebody who is archived or removed can be erased; archive them first.")


def addresses(bodies: Iterable[bytes]) -> set[str]:
    """The e-mail addresses that a person had, according to events about them."""
    parts = [part for body in bodies for part in msgspec.json.decode(body)["data"].values()]
    return {part["email"] for part in parts if part.get("email")}


def told_before(bodies: Iterable[bytes]) -> ErasedUser | None:
    """The earlier erasure, if one of the events is about it."""
    for body in bodies:
        event = msgspec.json.decode(body)
        if event["type"] == ERASED.name:
            return msgspec.convert(event["data"]["object"], ErasedUser)
    return None
