from steward.decks import queries
from steward.decks.model import CONSTRAINTS
from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice


def site(_parts: Parts) -> Site:
    from steward.decks import api, pages

    return Site(routes=api.ROUTES, pages=pages.pages())


SLICE = Slice(
    name="decks",
    tables=("deck_screens", "decks"),
    constraints=CONSTRAINTS,
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 20, "Decks", "/app/decks", "deck"),),
    searched=(Searched("Decks", queries.LOOKUP),),
)
