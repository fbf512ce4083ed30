from steward.decks.model import EXAMPLE
from steward.kit.events.event_types import record_events

CREATED, UPDATED, DELETED = record_events("deck", "Deck", EXAMPLE, was={"refresh_seconds": 60})
