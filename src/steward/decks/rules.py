from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from steward.decks.model import (
    COLUMNS,
    MAX_CONFIGURATION_BYTES,
    Card,
    Deck,
    DeckChanges,
    NewCard,
    NewDeck,
)
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Detail, Invalid


def new_deck(new: NewDeck, now: int) -> Deck:
    return Deck(
        id=new_id("dck"),
        title=new.title,
        description=new.description,
        location_id=new.location_id,
        refresh_seconds=new.refresh_seconds,
        cards=new_cards(new.cards),
        created=now,
        updated=now,
    )


def changed(deck: Deck, changes: DeckChanges) -> Deck:
    fields = given(changes)
    if "cards" in fields:
        fields["cards"] = new_cards(fields["cards"])
    return replace(deck, **fields)


def new_cards(cards: Sequence[NewCard]) -> list[Card]:
    """The cards, each with an identifier; 422 with everything that is wrong with them."""
    before: set[str] = set()
    details = [
        Detail(f"cards[{index}].{name}", message)
        for index, card in enumerate(cards)
        for name, message in _problems(card, before)
    ]
    if details:
        raise Invalid.of(details)
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
