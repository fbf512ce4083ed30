from steward.decks import queries
from steward.decks.events import CREATED, DELETED, UPDATED
from steward.decks.rules import arranged, changed, new_deck, with_card, without_card
from steward.decks.screens import queries as screens
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.records.verbs import changing, creating

create = creating(queries.DECKS, new_deck, CREATED)
change = changing(queries.DECKS, changed, UPDATED)
arrange = changing(queries.DECKS, arranged, UPDATED)
put_card = changing(queries.DECKS, with_card, UPDATED)
remove_card = changing(queries.DECKS, without_card, UPDATED)


async def delete(ctx: Target) -> None:
    """Screens show the other decks of their link; a link without another deck is deleted."""
    async with ctx.transaction() as ctx:
        await records.delete(ctx, queries.DECKS, DELETED)
        await screens.leave_out_deck(ctx.tx, ctx.tenant, ctx.id)
