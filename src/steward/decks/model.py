"""Decks: dashboards, for a desk or a wall. A card is a rectangle on a grid of twelve columns."""

from enum import StrEnum
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.db.pagination import PageQuery
from steward.kit.domain.fields import Body, Identifier, Name, Record, Seconds, Text

COLUMNS = 12
MAX_CARDS = 50
MAX_CONFIGURATION_BYTES = 8192


class CardType(StrEnum):
    VALUE = "value"
    CHART = "chart"
    STATUS = "status"
    WORK_ORDERS = "workOrders"
    ALERTS = "alerts"
    BOOKINGS = "bookings"
    TEXT = "text"


RefreshSeconds = Annotated[int, Meta(ge=5, le=3600, description="How often what it shows is read again.")]
Configuration = Annotated[
    dict[str, Any],
    Meta(
        max_length=100,
        description=f"What the card shows, by its type: free-form, at most {MAX_CONFIGURATION_BYTES} bytes of JSON.",
        examples=[{"assetId": "ast_00064a1b2c3d4e5f60718293a4b5", "key": "Temperature"}],
    ),
]


class Layout(Body, frozen=True):
    """Where a card lies: column and row of its corner, width and height. `x + w` is at most 12."""

    x: Annotated[int, Meta(ge=0, le=COLUMNS - 1)]
    y: Annotated[int, Meta(ge=0, le=1000)]
    w: Annotated[int, Meta(ge=1, le=COLUMNS)]
    h: Annotated[int, Meta(ge=1, le=100)]


class Card(Record, frozen=True):
    id: str
    type: CardType
    title: str | None
    configuration: dict[str, Any]
    layout: Layout


class Deck(Record, frozen=True):
    id: str
    title: str
    description: str | None
    location_id: str | None
    refresh_seconds: int
    cards: list[Card]
    created: Seconds
    updated: Seconds


class NewCard(Body, frozen=True):
    type: CardType
    layout: Layout
    id: Annotated[
        Identifier | None, Meta(description="Keeps a card the same over changes; made when absent.")
    ] = None
    title: Name | None = None
    configuration: Configuration = {}


Cards = Annotated[list[NewCard], Meta(max_length=MAX_CARDS)]


class NewDeck(Body, frozen=True):
    title: Name
    description: Text | None = None
    location_id: Identifier | None = None
    refresh_seconds: RefreshSeconds = 30
    cards: Cards = []


class DeckChanges(Body, frozen=True):
    title: Name | UnsetType = UNSET
    description: Text | UnsetType | None = UNSET
    location_id: Identifier | UnsetType | None = UNSET
    refresh_seconds: RefreshSeconds | UnsetType = UNSET
    cards: Annotated[Cards | UnsetType, Meta(description="All cards: one that is left out goes.")] = UNSET


class DeckQuery(PageQuery, frozen=True):
    location_id: Identifier | None = None
    updated_after: Seconds | None = None
    q: Annotated[str | None, Meta(description="Words to be found in the title.")] = None


CONSTRAINTS: Constraints = {"decks_location": Reference("locationId", "location", "decks")}

EXAMPLE = Deck(
    id="dck_00064a1b2c3d4e5f60718293a4b5",
    title="Lobby",
    description=None,
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    refresh_seconds=30,
    cards=[
        Card(
            id="crd_00064a1b2c3d4e5f60718293a4b5",
            type=CardType.VALUE,
            title="Air quality",
            configuration={"assetId": "ast_00064a1b2c3d4e5f60718293a4b5", "key": "CO2"},
            layout=Layout(x=0, y=0, w=4, h=2),
        )
    ],
    created=1767225600,
    updated=1767225600,
)
