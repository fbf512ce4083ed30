from steward.decks import actions, queries
from steward.decks.model import EXAMPLE, DeckChanges, DeckQuery, NewDeck
from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission

_DECKS = Resource(
    path="/organizations/{orgId}/decks",
    example=EXAMPLE,
    table=queries.DECKS,
    listing=queries.LISTING,
    query=DeckQuery,
    read_permission=Permission.DECKS_READ,
    write_permission=Permission.DECKS_WRITE,
)

ROUTES = (
    *_DECKS.reads(),
    _DECKS.create(
        actions.create,
        NewDeck,
        description="A dashboard: cards on a grid of twelve columns.",
        body_example={
            "title": "Lobby",
            "cards": [{"type": "workOrders", "title": "Open", "layout": {"x": 0, "y": 0, "w": 6, "h": 4}}],
        },
    ),
    _DECKS.change(
        actions.change,
        DeckChanges,
        description="`cards` are all cards of the deck; send those with their identifiers that stay.",
        body_example={"refreshSeconds": 60},
    ),
    _DECKS.delete(actions.delete),
)
