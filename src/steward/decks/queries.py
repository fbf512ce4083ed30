from steward.decks.model import Deck
from steward.kit.db.pagination import SEARCH, Listing, json_columns
from steward.kit.db.table import Table

DECKS = Table("decks", Deck, "deck", searched=("title",))
LISTING = Listing(
    "decks",
    json_columns(Deck),
    filters={"location_id": "location_id = {}", "updated_after": "updated > {}", "q": SEARCH},
)
