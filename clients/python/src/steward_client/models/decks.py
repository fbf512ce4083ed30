"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class CardLayout(Model, kw_only=True):
    """A card's place: column and row of its corner, width and height. `x + w` is at most 12."""

    x: int
    y: int
    w: int
    h: int


class CardType(OpenEnum):
    ALERTS = "alerts"
    BOOKINGS = "bookings"
    CHART = "chart"
    GAUGE = "gauge"
    SLA = "sla"
    STATUS = "status"
    TEXT = "text"
    VALUE = "value"
    WORK_ORDERS = "workOrders"


CardTypeLike: TypeAlias = (
    CardType | Literal["alerts", "bookings", "chart", "gauge", "sla", "status", "text", "value", "workOrders"]
)


class Card(Model, kw_only=True):
    id: str
    type: CardType
    title: str | None
    configuration: dict[str, Any]
    layout: CardLayout


class Deck(Record, kw_only=True):
    id: str
    title: str
    description: str | None
    location_id: str | None
    refresh_seconds: int
    cards: list[Card]
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class NewCard(Model, kw_only=True):
    type: CardTypeLike
    layout: CardLayout | Mapping[str, Any]
    id: str | UnsetType | None = UNSET
    """Keeps a card the same over changes; made when absent."""
    title: str | UnsetType | None = UNSET
    configuration: Mapping[str, Any] | UnsetType = UNSET
    """What the card shows, by its type; at most 8192 bytes of JSON. The web app reads `assetId` and `key`
    (value, gauge, chart), `min` and `max` (gauge), `hours` (chart), `locationId` (status, workOrders,
    bookings), `assetTypeId` (status), `status` (workOrders), `priority` (sla), `severity` (alerts), `days`
    (sla, bookings) and `text` (text); what else stands here is kept.
    """


class DeckChanges(Model, kw_only=True):
    title: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    location_id: str | UnsetType | None = UNSET
    refresh_seconds: int | UnsetType = UNSET
    """How often what it shows is read again."""
    cards: Sequence[NewCard | Mapping[str, Any]] | UnsetType | None = UNSET
    """All cards: one that is left out goes."""


class DecksSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    TITLE_DESCENDING = "-title"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    TITLE = "title"
    UPDATED = "updated"


DecksSortLike: TypeAlias = (
    DecksSort | Literal["-created", "-title", "-updated", "created", "title", "updated"]
)


class NewDeck(Model, kw_only=True):
    title: str
    description: str | UnsetType | None = UNSET
    location_id: str | UnsetType | None = UNSET
    refresh_seconds: int | UnsetType = UNSET
    """How often what it shows is read again."""
    cards: Sequence[NewCard | Mapping[str, Any]] | UnsetType = UNSET
