"""The organization's ChirpStack server. Its token is write-only."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from steward.kit.domain.fields import MUST, Body, Record, Seconds
from steward.kit.security.url_guard import MAX_URL_LENGTH

ServerUrl = Annotated[
    str,
    Meta(
        description="Of its REST API, without `/api`: https, at a public address.",
        min_length=1,
        max_length=MAX_URL_LENGTH,
        examples=["https://chirpstack.example.com"],
    ),
]
Token = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        pattern=r"^[!-~]+$",
        extra={MUST: "be an API key of ChirpStack, without spaces"},
    ),
]


class ChirpStackServer(Record, frozen=True):
    """All null where there is none."""

    url: str | None
    token_last_four: Annotated[str | None, Meta(description="The end of the API key.")]
    updated: Seconds | None


class NewChirpStackServer(Body, frozen=True):
    """Without a URL the connection is removed."""

    url: ServerUrl | None = None
    token: Annotated[
        Token | UnsetType,
        Meta(description="An API key of ChirpStack; the one that is known stays, when absent."),
    ] = UNSET


class StoredServer(msgspec.Struct, frozen=True):
    url: str
    token: bytes
    token_last_four: str
    updated: int


NONE = ChirpStackServer(None, None, None)
EXAMPLE = ChirpStackServer("https://chirpstack.example.com", "Q7xk", 1767225600)
