from collections.abc import Callable

from steward.decks import queries
from steward.decks.events import CREATED, DELETED, UPDATED
from steward.decks.model import Card, Deck, DeckArrangement, DeckChanges, NewDeck
from steward.decks.rules import arranged, changed, new_deck, with_card, without_card
from steward.decks.screens import queries as screens
from steward.kit.records import records
from steward.kit.records.context import Context, Target


async def create(ctx: Context, new: NewDeck) -> Deck:
    return await records.create(ctx, queries.DECKS, new_deck(new, ctx.now), CREATED)


async def change(ctx: Target, changes: DeckChanges) -> Deck:
    return await _change(ctx, lambda deck: changed(deck, changes))


async def arrange(ctx: Target, places: DeckArrangement) -> Deck:
    return await _change(ctx, lambda deck: arranged(deck, places.cards))


async def put_card(ctx: Target, card: Card) -> Deck:
    """Adds a card, or replaces the one with its identifier."""
    return await _change(ctx, lambda deck: with_card(deck, card))


async def remove_card(ctx: Target, card_id: str) -> Deck:
    return await _change(ctx, lambda deck: without_card(deck, card_id))


async def delete(ctx: Target) -> None:
    """Screens show the other decks of their link; a link without another deck is deleted."""
    async with ctx.transaction() as ctx:
        await records.delete(ctx, queries.DECKS, DELETED)
        await screens.leave_out_deck(ctx.tx, ctx.tenant, ctx.id)


async def _change(ctx: Target, to: Callable[[Deck], Deck]) -> Deck:
    return await records.change(ctx, queries.DECKS, to, UPDATED)
