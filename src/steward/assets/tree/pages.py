"""The tree of assets: each location's content is loaded when it is opened."""

from typing import Any

import msgspec

from steward.asset_types import queries as asset_types
from steward.assets.tree import queries
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.locations.model import Location
from steward.locations.queries import LOCATIONS

PATH = "/app/assets/tree"
NOWHERE = "none"
_BRANCHES = 200
_LEAVES = 50


class AssetTreePage(msgspec.Struct, frozen=True, kw_only=True):
    """Of the location that was `chosen`, or of the whole organization."""

    chosen: str | None
    at: Location | None
    branches: list[queries.Branch]
    more_branches: bool
    leaves: list[queries.Leaf]
    more_leaves: bool
    type_names: dict[str, str]
    counted: int = queries.COUNTED
    nowhere: str = NOWHERE


async def show(request: PageRequest[Any, Any]) -> View:
    """The whole tree, or with `?locationId=` the direct content of one location: a page without JavaScript, a
    fragment with it.
    """
    db, tenant, chosen = request.db, request.tenant, request.arguments.get("locationId")
    at = await records.get(db, LOCATIONS, tenant, chosen) if chosen and chosen != NOWHERE else None
    leaves = []
    if chosen is not None:
        leaves = await queries.in_location(db, tenant, at.id if at else None, _LEAVES + 1)
    branches = [] if chosen == NOWHERE else await queries.branches(db, tenant, chosen, _BRANCHES + 1)
    page = AssetTreePage(
        chosen=chosen,
        at=at,
        branches=branches[:_BRANCHES],
        more_branches=len(branches) > _BRANCHES,
        leaves=leaves[:_LEAVES],
        more_leaves=len(leaves) > _LEAVES,
        type_names=await request.names(asset_types.LOOKUP, (leaf.asset_type_id for leaf in leaves)),
    )
    return View("assets/tree.html", page, fragments={f"in-{chosen}": "assets/branch.html"})


PAGES = (WebPage("GET", PATH, show, Permission.ASSETS_READ),)
