"""Decks: dashboards, for a desk or a wall. A card is a rectangle on a grid of twelve columns."""

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from msgspec import UNSET, Meta, Struct, UnsetType

from steward.alert_rules.model import Severity
from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import Body, Identifier, Name, Priority, Record, Seconds, Text
from steward.kit.domain.list_query import UpdatedAfter
from steward.kit.domain.shared_fields import changes_of, example_of
from steward.kit.security.permissions import Permission
from steward.locations.model import LocatedPageQuery

COLUMNS = 12
ROWS = 1000
TALLEST = 100
MAX_CARDS = 50
MAX_CONFIGURATION_BYTES = 8192


class CardType(StrEnum):
    VALUE = "value"
    GAUGE = "gauge"
    CHART = "chart"
    STATUS = "status"
    WORK_ORDERS = "workOrders"
    SLA = "sla"
    ALERTS = "alerts"
    BOOKINGS = "bookings"
    TEXT = "text"


RefreshSeconds = Annotated[int, Meta(ge=5, le=3600, description="How often what it shows is read again.")]
Configuration = Annotated[
    dict[str, Any],
    Meta(
        max_length=100,
        description=f"What the card shows, by its type; at most {MAX_CONFIGURATION_BYTES} bytes of JSON. The web app reads "
        "`assetId` and `key` (value, gauge, chart), `min` and `max` (gauge), `hours` (chart), `locationId` (status, "
        "workOrders, bookings), `assetTypeId` (status), `status` (workOrders), `priority` (sla), `severity` (alerts), `days` "
        "(sla, bookings) and `text` (text); what else stands here is kept.",
        examples=[{"assetId": "ast_00064a1b2c3d4e5f60718293a4b5", "key": "Temperature"}],
    ),
]


class CardLayout(Body, frozen=True):
    """A card's place: column and row of its corner, width and height. `x + w` is at most 12."""

    x: Annotated[int, Meta(ge=0, le=COLUMNS - 1)]
    y: Annotated[int, Meta(ge=0, le=ROWS)]
    w: Annotated[int, Meta(ge=1, le=COLUMNS)]
    h: Annotated[int, Meta(ge=1, le=TALLEST)]


Key = Annotated[str, Meta(min_length=1, max_length=100)]
Number = Annotated[float, Meta(ge=-1e15, le=1e15)]


class CardSettings(Struct, frozen=True, kw_only=True, rename="camel"):
    """What the web app reads of a card's configuration; absent values aren't chosen yet."""


class ValueSettings(CardSettings, frozen=True, kw_only=True):
    asset_id: Identifier | None = None
    key: Key | None = None


class GaugeSettings(ValueSettings, frozen=True, kw_only=True):
    min: Number | None = None
    max: Number | None = None


class ChartSettings(ValueSettings, frozen=True, kw_only=True):
    hours: Annotated[int, Meta(ge=1, le=8784)] | None = None


class StatusSettings(CardSettings, frozen=True, kw_only=True):
    location_id: Identifier | None = None
    asset_type_id: Identifier | None = None


class WorkOrderSettings(CardSettings, frozen=True, kw_only=True):
    status: Literal["Open", "InProgress", "OnHold"] | None = None
    location_id: Identifier | None = None


class SlaSettings(CardSettings, frozen=True, kw_only=True):
    days: Annotated[int, Meta(ge=1, le=366)] | None = None
    priority: Priority | None = None


class AlertSettings(CardSettings, frozen=True, kw_only=True):
    severity: Severity | None = None


class BookingSettings(CardSettings, frozen=True, kw_only=True):
    days: Annotated[int, Meta(ge=1, le=31)] | None = None
    location_id: Identifier | None = None


class TextSettings(CardSettings, frozen=True, kw_only=True):
    text: Text | None = None


class CardKind(NamedTuple):
    settings: type[CardSettings]
    # Width and height that a new card begins with.
    size: tuple[int, int]
    # Who may see what a card shows.
    permissions: frozenset[Permission]


VALUES = frozenset({Permission.ASSETS_READ, Permission.IOT_READ})
_ORDERS = frozenset({Permission.WORK_ORDERS_READ})
KINDS: dict[CardType, CardKind] = {
    CardType.VALUE: CardKind(ValueSettings, (3, 2), VALUES),
    CardType.GAUGE: CardKind(GaugeSettings, (3, 3), VALUES),
    CardType.CHART: CardKind(ChartSettings, (6, 4), VALUES),
    CardType.STATUS: CardKind(StatusSettings, (6, 4), frozenset({Permission.ASSETS_READ})),
    CardType.WORK_ORDERS: CardKind(WorkOrderSettings, (4, 4), _ORDERS),
    CardType.SLA: CardKind(SlaSettings, (3, 3), _ORDERS),
    CardType.ALERTS: CardKind(AlertSettings, (4, 4), frozenset({Permission.IOT_READ})),
    CardType.BOOKINGS: CardKind(BookingSettings, (4, 4), frozenset({Permission.BOOKINGS_READ})),
    CardType.TEXT: CardKind(TextSettings, (4, 2), frozenset()),
}


class Card(Record, frozen=True):
    id: str
    type: CardType
    title: str | None
    configuration: dict[str, Any]
    layout: CardLayout


class Deck(Record, frozen=True):
    filterable: ClassVar[tuple[str, ...]] = ("location_id",)

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
    layout: CardLayout
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


@changes_of(NewDeck)
class DeckChanges(Body, frozen=True):
    cards: Annotated[Cards | UnsetType | None, Meta(description="All cards: one that is left out goes.")] = (
        UNSET
    )


class CardPlace(CardLayout, frozen=True):
    id: Identifier


class DeckArrangement(Body, frozen=True):
    """The new places of a deck's cards."""

    cards: Annotated[list[CardPlace], Meta(max_length=MAX_CARDS)]


class CardForm(CardLayout, frozen=True):
    """A card as its form sends it: fields that its type lacks are dropped."""

    title: Name | None = None
    asset_id: Identifier | None = None
    key: Key | None = None
    min: Number | None = None
    max: Number | None = None
    hours: int | None = None
    days: int | None = None
    location_id: Identifier | None = None
    asset_type_id: Identifier | None = None
    status: str | None = None
    severity: str | None = None
    priority: str | None = None
    text: Text | None = None


class DeckQuery(LocatedPageQuery, frozen=True):
    updated_after: UpdatedAfter = None
    q: Annotated[str | None, Meta(description="Words to be found in the title.")] = None


CONSTRAINTS: Constraints = {"decks_location": Reference("locationId", "location", "decks")}

EXAMPLE = example_of(
    Deck,
    id="dck_00064a1b2c3d4e5f60718293a4b5",
    title="Lobby",
    location_id="loc_00064a1b2c3d4e5f60718293a4b5",
    refresh_seconds=30,
    cards=[
        Card(
            id="crd_00064a1b2c3d4e5f60718293a4b5",
            type=CardType.VALUE,
            title="Air quality",
            configuration={"assetId": "ast_00064a1b2c3d4e5f60718293a4b5", "key": "CO2"},
            layout=CardLayout(x=0, y=0, w=4, h=2),
        )
    ],
)
