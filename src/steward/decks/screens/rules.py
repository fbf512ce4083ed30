from collections.abc import Iterable

from steward.decks.model import Deck
from steward.decks.rules import permissions_of
from steward.decks.screens.model import NewScreen, Screen
from steward.kit.domain.ids import new_id
from steward.kit.security.caller import Caller
from steward.kit.security.permissions import Permission


def new_screen(new: NewScreen, deck_id: str, who: Caller, now: int) -> Screen:
    """Starts with the deck on whose page it was made."""
    deck_ids = list(dict.fromkeys([deck_id, *new.decks]))
    return Screen(new_id("scr"), new.name, deck_ids, new.seconds, sorted(who.permissions), now)


def permissions(screen: Screen, decks: Iterable[Deck]) -> frozenset[Permission]:
    """What its cards need, and no more than its maker had."""
    needed = permissions_of(card for deck in decks for card in deck.cards)
    return needed & frozenset(screen.permissions)
