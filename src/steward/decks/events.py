from steward.decks.model import EXAMPLE
from steward.kit.events.event_types import record_events
from steward.kit.security.permissions import Permission

CREATED, UPDATED, DELETED = record_events(
    "deck", "Deck", EXAMPLE, permission=Permission.DECKS_READ, was={"refresh_seconds": 60}
)
