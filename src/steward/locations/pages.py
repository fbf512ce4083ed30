"""Locations in the web app: the tree, the list, the page of one, and the form for a new one."""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from steward.kit.db import search
from steward.kit.domain.fields import Body, Identifier
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import ARCHIVED, Choice, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.locations import actions, queries, rules
from steward.locations.imports import pages as import_pages
from steward.locations.model import Location, LocationChanges, LocationQuery, LocationType, NewLocation
from steward.locations.queries import Node, TrailStep

PATH = "/app/locations"
# Loaded at once, below one location.
_BRANCH = 200
# With so few at the top, their children are shown at once.
_FEW = 10
_FOUND = 50

LIST = ListPage(
    path=f"{PATH}/list",
    title="Locations",
    listing=queries.LISTING,
    record=Location,
    query=LocationQuery,
    permission=Permission.LOCATIONS_READ,
    write_permission=Permission.LOCATIONS_WRITE,
    search="Search name or code",
    tabs="type",
    template="locations/list.html",
    columns=(
        Column("name", "Name", cells.row_link(PATH), sort="name"),
        Column("code", "Code", cells.code),
        Column("type", "Type"),
        Column("parent_id", "In", cells.reference, lookup=queries.LOOKUP),
        Column("timezone", "Time zone"),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
    ),
    filters=(Choice(name="type", title="Type", options=choices(LocationType)), ARCHIVED),
    empty=EmptyState(
        "No locations yet", "Begin with a site or a building, and put floors and rooms into it."
    ),
)


class TreeQuery(Body, frozen=True):
    q: str | None = None


class BranchQuery(Body, frozen=True):
    """Below which location, and after which of its children."""

    parent_id: str = ""
    after: str = ""
    after_id: str = ""


class NewParent(Body, frozen=True):
    parent_id: Identifier | UnsetType | None = UNSET


class TreePart(msgspec.Struct, frozen=True, kw_only=True):
    """What lies in a location or at the top; and below that, as far as it is shown."""

    nodes: list[Node]
    more: bool
    below: dict[str, list[Node]] = {}
    parent_id: str = ""


class FoundLocations(msgspec.Struct, frozen=True):
    rows: list[Location]
    # Where each is.
    trails: dict[str, list[TrailStep]] = {}
    more: bool = False
    too_short: bool = False


class LocationTreePage(msgspec.Struct, frozen=True):
    q: str
    # The other is None.
    top: TreePart | None
    found: FoundLocations | None


class OfferedFields(msgspec.Struct, frozen=True):
    """What the form of a location offers."""

    zones: list[tuple[str, str]]
    address: dict[str, str]
    types: tuple[LocationType, ...] = tuple(LocationType)
    address_labels: dict[str, str] = msgspec.field(default_factory=lambda: rules.ADDRESS)


class NewLocationPage(msgspec.Struct, frozen=True):
    parent_id: str
    parent: Location | None
    type: LocationType
    offered: OfferedFields


class LocationPage(msgspec.Struct, frozen=True, kw_only=True):
    location: Location
    trail: list[TrailStep]
    inside: TreePart
    address_lines: list[tuple[str, str]]
    panels: list[RenderedPanel]
    offered: OfferedFields


async def tree(request: PageRequest[Any, TreeQuery]) -> View:
    text = (request.query.q or "").strip()
    top, found = (None, await _search(request, text)) if text else (await _top(request), None)
    fragments = {"tree": "locations/tree_results.html"}
    return View("locations/tree.html", LocationTreePage(text, top, found), fragments=fragments)


async def _top(request: PageRequest[Any, Any]) -> TreePart:
    db, tenant = request.db, request.tenant
    top = await queries.branch(db, tenant, "", _BRANCH + 1)
    below: dict[str, list[Node]] = {}
    if 0 < len(top) <= _FEW:
        found = await queries.branches(db, tenant, [node.id for node in top], _BRANCH + 1)
        # If not all of them fit, each is loaded by itself.
        for node in found if len(found) <= _BRANCH else ():
            below.setdefault(node.parent_id, []).append(node)
    return TreePart(nodes=top[:_BRANCH], more=len(top) > _BRANCH, below=below)


async def _search(request: PageRequest[Any, Any], text: str) -> FoundLocations:
    """Each with its parent: many rooms have the same name. A text too short to search for finds nothing."""
    if not search.is_searchable(text):
        return FoundLocations([], too_short=True)
    page = await request.part(queries.LISTING, Location, LocationQuery(q=text, limit=_FOUND))
    trails = await queries.trails(request.db, request.tenant, [location.id for location in page.rows])
    return FoundLocations(page.rows, trails, more=page.next_page is not None)


async def branch(request: PageRequest[Any, BranchQuery]) -> View:
    """A part of the tree, which the browser inserts."""
    after = (request.query.after, request.query.after_id)
    return View("locations/branch.html", await _branch(request, request.query.parent_id, after))


async def _branch(
    request: PageRequest[Any, Any], parent_id: str, after: tuple[str, str] = ("", "")
) -> TreePart:
    nodes = await queries.branch(request.db, request.tenant, parent_id, _BRANCH + 1, after=after)
    return TreePart(nodes=nodes[:_BRANCH], more=len(nodes) > _BRANCH, parent_id=parent_id)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    parent_id = request.form.value("parentId", request.arguments.get("parentId", ""))
    row = (
        await request.db.fetchrow(queries.LOCATIONS.select, request.tenant, parent_id) if parent_id else None
    )
    parent = None if row is None else queries.LOCATIONS.load(row)
    page = NewLocationPage(parent_id, parent, rules.usual_type(parent), _offered(None))
    return View("locations/new.html", page, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    location = await request.get(queries.LOCATIONS, "locationId")
    page = LocationPage(
        location=location,
        trail=(await queries.trails(request.db, request.tenant, [location.id])).get(location.id, []),
        inside=await _branch(request, location.id),
        address_lines=rules.address_lines(location.address or {}),
        panels=await request.panels("location", location.id),
        offered=_offered(location.address),
    )
    return View("locations/one.html", page, status)


def _offered(address: Mapping[str, Any] | None) -> OfferedFields:
    return OfferedFields([(name, name) for name in rules.time_zones()], rules.address_fields(address))


async def _change(ctx: Target, changes: LocationChanges) -> Location:
    """An address may hold more than the form shows."""
    if changes.address is not UNSET:
        location = await records.get(ctx.db, queries.LOCATIONS, ctx.tenant, ctx.id)
        changes = replace(changes, address=rules.changed_address(location.address, changes.address))
    return await actions.change(ctx, changes)


async def _move(ctx: Target, to: NewParent) -> Location:
    return await actions.change(ctx, LocationChanges(parent_id=to.parent_id))


RECORD = RecordPages.of(LIST, "locationId", show_one, show_new, path=PATH)

PAGES: tuple[WebPage, ...] = (
    WebPage("GET", PATH, tree, Permission.LOCATIONS_READ, query=TreeQuery),
    WebPage("GET", f"{PATH}/branch", branch, Permission.LOCATIONS_READ, query=BranchQuery),
    *LIST.pages(),
    *import_pages.PAGES,
    *RECORD.pages(actions.create, NewLocation, _change, LocationChanges, actions.delete),
    RECORD.change(_move, form=NewParent, name="move", path="/move"),
    *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
)
