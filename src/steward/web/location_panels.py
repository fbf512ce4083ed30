"""The counts of each kind of record at a location, with links to them."""

from typing import Any

import msgspec

from steward.assets import queries as assets
from steward.bookings.resources import queries as resources
from steward.kit.db.lookup import Lookup
from steward.kit.web.page import PageRequest, Panel, View
from steward.locations import queries as locations
from steward.visitors import queries as visitors
from steward.web import queries

_KINDS: tuple[tuple[str, str, Lookup], ...] = (
    ("assets", "Assets", assets.LOOKUP),
    ("resources", "Bookable resources", resources.LOOKUP),
    ("visitors", "Visitors on site", visitors.LOOKUP),
)


class LocationContents(msgspec.Struct, frozen=True):
    """Of each kind its title, the address of the list, how many are here and how many are within."""

    rows: list[tuple[str, str, int, int]]
    # Counts end here.
    counted: int = queries.COUNTED


async def contents(request: PageRequest[Any, Any], location_id: str) -> View | None:
    """At the location itself, and including the locations inside."""
    kinds = [kind for kind in _KINDS if request.may(kind[2].permission)]
    if not kinds:
        return None
    tenant = request.caller.tenant
    below = await locations.within(request.db, tenant, location_id)
    counts = await queries.counts_at(request.db, tenant, location_id, below)
    rows = [
        (title, f"{lookup.path}?locationId={location_id}", *counts[name]) for name, title, lookup in kinds
    ]
    return View("web/location_contents.html", LocationContents(rows))


PANELS = (Panel(of="location", id="contents", title="Contents", handler=contents),)
