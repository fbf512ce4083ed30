from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from steward.decks.model import (
    COLUMNS,
    KINDS,
    MAX_CARDS,
    MAX_CONFIGURATION_BYTES,
    ROWS,
    VALUES,
    Card,
    CardForm,
    CardLayout,
    CardSettings,
    CardType,
    Deck,
    DeckArrangement,
    DeckChanges,
    NewCard,
    NewDeck,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict, ErrorDetail, Invalid, NotFound, refuse_faults
from steward.kit.domain.shared_fields import made_from, new_record
from steward.kit.domain.validation import invalid
from steward.kit.security.permissions import Permission

S = TypeVar("S", bound=CardSettings)

PERMISSIONS = {kind: about.permissions for kind, about in KINDS.items()}
# What a form for a card must not leave open.
_NEEDED = frozenset({"asset_id", "key", "text"})


def new_deck(new: NewDeck, now: int) -> Deck:
    return new_record(Deck, "dck", new, now, cards=new_cards(new.cards))


def changed(deck: Deck, changes: DeckChanges) -> Deck:
    fields = given(changes)
    if "cards" in fields:
        fields["cards"] = new_cards(fields["cards"])
    return replace(deck, **fields)


def new_cards(cards: Sequence[NewCard]) -> list[Card]:
    """The cards, each with an identifier; 422 with everything that is wrong with them."""
    before: set[str] = set()
    refuse_faults(
        ErrorDetail(f"cards[{index}].{name}", message)
        for index, card in enumerate(cards)
        for name, message in _problems(card, before)
    )
    return [
        Card(card.id or new_id("crd"), card.type, card.title, card.configuration, card.layout)
        for card in cards
    ]


def _problems(card: NewCard, before: set[str]) -> Iterator[tuple[str, str]]:
    """`before` are the identifiers of the cards before it, to which its own is added."""
    if card.id is not None:
        if card.id in before:
            yield "id", f"{card.id} is the identifier of another card already"
        before.add(card.id)
    if card.layout.x + card.layout.w > COLUMNS:
        yield "layout.w", f"reaches beyond column {COLUMNS}"
    if len(msgspec.json.encode(card.configuration)) > MAX_CONFIGURATION_BYTES:
        yield "configuration", f"must be at most {MAX_CONFIGURATION_BYTES} bytes of JSON"
    yield from _wrong_settings(card)


def _wrong_settings(card: NewCard) -> Iterator[tuple[str, str]]:
    kind = KINDS[card.type].settings
    try:
        settings = msgspec.convert(card.configuration, kind)
    except msgspec.ValidationError as error:
        for detail in invalid(kind, card.configuration, error, noun="setting").details:
            yield f"configuration.{detail.field}", detail.message
        return
    low, high = getattr(settings, "min", None), getattr(settings, "max", None)
    if low is not None and high is not None and low >= high:
        yield "configuration.max", "must be more than `min`"


def settings_of(card: Card, wanted: type[S]) -> S:
    """What a card shows. Configurations from before they were checked may hold anything: those have chosen nothing."""
    try:
        return msgspec.convert(card.configuration, wanted)
    except msgspec.ValidationError:
        return wanted()


def find_card(deck: Deck, card_id: str) -> Card:
    found = next((card for card in deck.cards if card.id == card_id), None)
    if found is None:
        raise NotFound("There is no such card on this deck.")
    return found


def card_from(form: CardForm, old: Card) -> Card:
    """A card with what a form says; `old` tells its type, and what of its configuration no form knows.

    422 by the bare names of what is wrong: `w`, `hours`.
    """
    settings = KINDS[old.type].settings
    known = dict(zip(settings.__struct_fields__, settings.__struct_encode_fields__, strict=True))
    details = [
        ErrorDetail(name, "Fill this in.")
        for field, name in known.items()
        if field in _NEEDED and not getattr(form, field)
    ]
    kept = {name: value for name, value in old.configuration.items() if name not in known.values()}
    chosen = {name: value for field, name in known.items() if (value := getattr(form, field)) is not None}
    layout = made_from(CardLayout, form)
    card = NewCard(type=old.type, layout=layout, title=form.title, configuration={**kept, **chosen})
    details += [ErrorDetail(name.rpartition(".")[2], message) for name, message in _problems(card, set())]
    refuse_faults(details)
    return Card(old.id or new_id("crd"), card.type, card.title, card.configuration, layout)


def with_card(deck: Deck, card: Card) -> Deck:
    """In the place of the one with its identifier, or after all others."""
    cards = [card if old.id == card.id else old for old in deck.cards]
    if card not in cards:
        cards.append(card)
    if len(cards) > MAX_CARDS:
        raise Conflict(f"A deck has at most {MAX_CARDS} cards.")
    return replace(deck, cards=cards)


def without_card(deck: Deck, card_id: str) -> Deck:
    gone = find_card(deck, card_id)
    return replace(deck, cards=[card for card in deck.cards if card != gone])


def arranged(deck: Deck, places: DeckArrangement) -> Deck:
    """Each card where it was put; cards that aren't named stay."""
    by_id = {place.id: made_from(CardLayout, place) for place in places.cards}
    if any(layout.x + layout.w > COLUMNS for layout in by_id.values()):
        raise Invalid("cards", f"one of them reaches beyond column {COLUMNS}")
    cards = [replace(card, layout=by_id.get(card.id, card.layout)) for card in deck.cards]
    return replace(deck, cards=cards)


def free_place(cards: Iterable[Card], kind: CardType) -> CardLayout:
    """Below everything that is there."""
    width, height = KINDS[kind].size
    below = max((card.layout.y + card.layout.h for card in cards), default=0)
    return CardLayout(x=0, y=min(below, ROWS), w=width, h=height)


def permissions_of(cards: Iterable[Card]) -> frozenset[Permission]:
    """The permissions that all of them need."""
    return frozenset[Permission]().union(*(PERMISSIONS[card.type] for card in cards))


def asset_ids(cards: Iterable[Card]) -> frozenset[str]:
    """The assets whose values the cards show."""
    found = (card.configuration.get("assetId") for card in cards if PERMISSIONS[card.type] == VALUES)
    return frozenset(id for id in found if isinstance(id, str))
