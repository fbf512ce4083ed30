from steward.decks import queries
from steward.decks.model import Deck, DeckChanges, NewDeck
from steward.decks.rules import changed, new_deck
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewDeck, *, now: int) -> Deck:
    return await records.create(db, queries.DECKS, who.tenant, new_deck(new, now), now=now)


async def change(
    db: Database, who: Caller, id: str, changes: DeckChanges, *, precondition: Precondition, now: int
) -> Deck:
    return await records.change(
        db,
        queries.DECKS,
        who.tenant,
        id,
        to=lambda deck: changed(deck, changes),
        precondition=precondition,
        now=now,
    )


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    await records.delete(db, queries.DECKS, who.tenant, id, precondition=precondition, now=now)
