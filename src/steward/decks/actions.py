from msgspec.structs import replace

from steward.decks import queries
from steward.decks.model import Deck, DeckChanges, NewDeck, laid_out
from steward.kit.db import records
from steward.kit.db.pool import Database
from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.versions import Precondition
from steward.kit.security.caller import Caller


async def create(db: Database, who: Caller, new: NewDeck, *, now: int) -> Deck:
    deck = Deck(
        id=new_id("dck"),
        title=new.title,
        description=new.description,
        location_id=new.location_id,
        refresh_seconds=new.refresh_seconds,
        cards=laid_out(new.cards),
        created=now,
        updated=now,
    )
    return await records.create(db, queries.DECKS, who.tenant, deck, now=now)


async def change(
    db: Database, who: Caller, id: str, changes: DeckChanges, *, precondition: Precondition, now: int
) -> Deck:
    fields = given(changes)
    if "cards" in fields:
        fields["cards"] = laid_out(fields["cards"])
    return await records.change(
        db,
        queries.DECKS,
        who.tenant,
        id,
        to=lambda deck: replace(deck, **fields),
        precondition=precondition,
        now=now,
    )


async def delete(db: Database, who: Caller, id: str, *, precondition: Precondition, now: int) -> None:
    await records.delete(db, queries.DECKS, who.tenant, id, precondition=precondition, now=now)
