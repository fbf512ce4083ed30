from steward.decks import actions, queries
from steward.decks.model import EXAMPLE, Deck, DeckChanges, DeckQuery, NewDeck
from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission

_DECKS = Resource(
    tag="Decks",
    path="/organizations/{orgId}/decks",
    id_name="deckId",
    gives=Deck,
    example=EXAMPLE,
    table=queries.DECKS,
    listing=queries.LISTING,
    read_permission=Permission.DECKS_READ,
    write_permission=Permission.DECKS_WRITE,
)

ROUTES: tuple[Route, ...] = (
    _DECKS.list("listDecks", "List decks", query=DeckQuery),
    *_DECKS.exports("exportDecks", "decks", query=DeckQuery),
    _DECKS.create(
        actions.create,
        "createDeck",
        "Create a deck",
        description="A dashboard: cards on a grid of twelve columns.",
        body=NewDeck,
        body_example={
            "title": "Lobby",
            "cards": [{"type": "workOrders", "title": "Open", "layout": {"x": 0, "y": 0, "w": 6, "h": 4}}],
        },
    ),
    _DECKS.read("readDeck", "Read a deck"),
    _DECKS.change(
        actions.change,
        "changeDeck",
        "Change a deck",
        description="`cards` are all cards of the deck; send those with their identifiers that stay.",
        body=DeckChanges,
        body_example={"refreshSeconds": 60},
    ),
    _DECKS.delete(actions.delete, "deleteDeck", "Delete a deck"),
)
