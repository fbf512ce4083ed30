"""Who caused an event. A request sets its actor once, and every event that it stores keeps it.

It is written as `User:usr_…`, `Key:key_…`, `Device:ast_…` or `System`, in the database and in the header of deliveries.
"""

from contextvars import ContextVar
from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from steward.kit.domain.fields import Record
from steward.kit.security.caller import Caller


class ActorType(StrEnum):
    USER = "User"
    KEY = "Key"
    DEVICE = "Device"
    SYSTEM = "System"


class Actor(Record, frozen=True):
    type: Annotated[
        ActorType,
        Meta(
            description="`User`: somebody logged in. `Key`: an API key, also where it acts as the user who made it. `Device`: an "
            "asset's own readings, or a tablet at a door. `System`: the service by itself, such as a timer."
        ),
    ]
    id: Annotated[str | None, Meta(description="Of the user, key, asset or tablet; null for `System`.")]


SYSTEM = str(ActorType.SYSTEM)
_acting: ContextVar[str] = ContextVar("actor", default=SYSTEM)


def act_as(caller: Caller) -> None:
    """From now on in this request. A caller without user and key is the service itself."""
    if caller.key is not None:
        _acting.set(f"{ActorType.KEY}:{caller.key}")
    elif caller.user is not None:
        _acting.set(user_actor(caller.user))
    else:
        _acting.set(SYSTEM)


def act_as_device(id: str) -> None:
    _acting.set(device_actor(id))


def acting() -> str:
    return _acting.get()


def user_actor(id: str) -> str:
    return f"{ActorType.USER}:{id}"


def device_actor(id: str) -> str:
    return f"{ActorType.DEVICE}:{id}"


def read_actor(text: str | None) -> Actor | None:
    """None for events from before this was kept."""
    if text is None:
        return None
    type, _, id = text.partition(":")
    return Actor(ActorType(type), id or None)
