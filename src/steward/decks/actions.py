from collections.abc import Callable

from steward.decks import queries
from steward.decks.events import CREATED, DELETED, UPDATED
from steward.decks.model import Card, Deck, DeckArrangement, DeckChanges, NewDeck
from steward.decks.rules import arranged, changed, new_deck, with_card, without_card
from steward.decks.screens import queries as screens
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.records import records
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewDeck, *, now: int) -> Deck:
    return await records.create(db, queries.DECKS, who.tenant, new_deck(new, now), events=(CREATED,), now=now)


async def change(
    db: Database, who: Caller, id: str, changes: DeckChanges, *, precondition: Precondition, now: int
) -> Deck:
    return await _change(db, who, id, lambda deck: changed(deck, changes), precondition, now)


async def arrange(
    db: Database, who: Caller, id: str, places: DeckArrangement, *, precondition: Precondition, now: int
) -> Deck:
    return await _change(db, who, id, lambda deck: arranged(deck, places.cards), precondition, now)


async def put_card(
    db: Database, who: Caller, id: str, card: Card, *, precondition: Precondition, now: int
) -> Deck:
    """Adds a card, or takes the place of the one with its identifier."""
    return await _change(db, who, id, lambda deck: with_card(deck, card), precondition, now)


async def remove_card(
    db: Database, who: Caller, id: str, card_id: str, *, precondition: Precondition, now: int
) -> Deck:
    return await _change(db, who, id, lambda deck: without_card(deck, card_id), precondition, now)


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    """Screens show the other decks of their link; one that had no other is gone."""
    async with db.transaction() as tx:
        await records.delete(
            tx, queries.DECKS, who.tenant, id, precondition=precondition, event=DELETED, now=now
        )
        await screens.leave_out_deck(tx, who.tenant, id)


async def _change(
    db: Database, who: Caller, id: str, to: Callable[[Deck], Deck], precondition: Precondition, now: int
) -> Deck:
    return await records.change(
        db,
        queries.DECKS,
        who.tenant,
        id,
        to=to,
        precondition=precondition,
        events=records.always(UPDATED),
        now=now,
    )
