"""The tree of assets: each location's content is loaded when it is opened."""

from typing import Any

from steward.asset_types import queries as asset_types
from steward.assets.tree import queries
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.locations.queries import LOCATIONS

PATH = "/app/assets/tree"
NOWHERE = "none"
_BRANCHES = 200
_LEAVES = 50


async def show(request: PageRequest[Any, Any]) -> View:
    """The whole tree, or with `?locationId=` the direct content of one location: a page without JavaScript, a
    fragment with it.
    """
    db, tenant = request.db, request.caller.tenant
    chosen = request.arguments.get("locationId")
    at = (
        await records.get(db, LOCATIONS, tenant, chosen) if chosen is not None and chosen != NOWHERE else None
    )
    leaves = []
    if chosen is not None:
        leaves = await queries.in_location(db, tenant, at.id if at else None, _LEAVES + 1)
    branches = [] if chosen == NOWHERE else await queries.branches(db, tenant, chosen, _BRANCHES + 1)
    values = {
        "chosen": chosen,
        "at": at,
        "branches": branches[:_BRANCHES],
        "more_branches": len(branches) > _BRANCHES,
        "leaves": leaves[:_LEAVES],
        "more_leaves": len(leaves) > _LEAVES,
        "type_names": await asset_types.LOOKUP.names(db, tenant, (leaf.asset_type_id for leaf in leaves)),
        "counted": queries.COUNTED,
        "nowhere": NOWHERE,
    }
    return View("assets/tree.html", values, fragments={f"in-{chosen}": "assets/branch.html"})


PAGES = (WebPage("GET", PATH, show, Permission.ASSETS_READ),)
