"""Screens: a secret address under which a wall display shows some decks, until it is revoked."""

from typing import Annotated

import msgspec
from msgspec import Meta

from steward.decks.model import Deck
from steward.kit.domain.fields import Body, Identifier, Name
from steward.kit.security.caller import Caller

MAX_SCREENS = 100
MAX_DECKS = 20

RotateSeconds = Annotated[int, Meta(ge=5, le=3600)]


class Screen(msgspec.Struct, frozen=True):
    id: str
    name: str
    deck_ids: list[str]
    rotate_seconds: int
    permissions: list[str]
    created: int


class NewScreen(Body, frozen=True):
    name: Name
    decks: Annotated[list[Identifier], Meta(max_length=MAX_DECKS)] = []
    seconds: RotateSeconds = 30


class OpenedScreen(msgspec.Struct, frozen=True):
    """A link's decks, and the caller that it acts as."""

    screen: Screen
    decks: list[Deck]
    caller: Caller
    holder: bytes
