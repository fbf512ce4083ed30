from steward.kit.web.menu import MenuEntry, MenuGroup
from steward.kit.web.slice import Searched, Slice, site_of
from steward.locations import queries
from steward.locations.model import CONSTRAINTS

SLICE = Slice(
    name="locations",
    tables=("locations",),
    constraints=CONSTRAINTS,
    site=site_of("steward.locations.api", "steward.locations.pages"),
    menu=(MenuEntry(MenuGroup.RECORDS, 10, "Locations", "/app/locations", "location"),),
    searched=(Searched("Locations", queries.LOOKUP),),
)
