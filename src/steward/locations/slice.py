from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Parts, Searched, Site, Slice
from steward.locations import queries
from steward.locations.model import CONSTRAINTS


def site(_parts: Parts) -> Site:
    from steward.locations import api, pages

    return Site(routes=api.ROUTES, pages=pages.PAGES)


SLICE = Slice(
    name="locations",
    tables=("locations",),
    constraints=CONSTRAINTS,
    site=site,
    menu=(MenuEntry(MenuGroup.RECORDS, 10, "Locations", "/app/locations", "location"),),
    searched=(Searched("Locations", queries.LOOKUP),),
)
