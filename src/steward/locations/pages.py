"""Locations in the web app: the tree, the list, the page of one, and the form for a new one."""

from typing import Any

from msgspec import UNSET, UnsetType, json
from msgspec.structs import replace

from steward.kit.db import search
from steward.kit.domain.fields import Body, Identifier
from steward.kit.records import records
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_page import ARCHIVED, Choice, EmptyState, ListPage, choices
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.locations import actions, queries, rules
from steward.locations.imports import pages as import_pages
from steward.locations.model import (
    Location,
    LocationChanges,
    LocationQuery,
    LocationType,
    NewLocation,
)
from steward.locations.queries import Node

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


async def tree(request: PageRequest[Any, TreeQuery]) -> View:
    text = (request.query.q or "").strip()
    values = {
        "q": text,
        "may_write": request.may(Permission.LOCATIONS_WRITE),
        **(await _search(request, text) if text else await _top(request)),
    }
    return View("locations/tree.html", values, fragments={"tree": "locations/tree_results.html"})


async def _top(request: PageRequest[Any, Any]) -> dict[str, Any]:
    db, tenant = request.db, request.caller.tenant
    top = await queries.branch(db, tenant, "", _BRANCH + 1)
    below: dict[str, list[Node]] = {}
    if 0 < len(top) <= _FEW:
        found = await queries.branches(db, tenant, [node.id for node in top], _BRANCH + 1)
        # If not all of them fit, each is loaded by itself.
        for node in found if len(found) <= _BRANCH else ():
            below.setdefault(node.parent_id, []).append(node)
    return {"nodes": top[:_BRANCH], "more": len(top) > _BRANCH, "below": below, "found": None}


async def _search(request: PageRequest[Any, Any], text: str) -> dict[str, Any]:
    """Each with its parent: many rooms have the same name. A text too short to search for finds nothing."""
    db, tenant = request.db, request.caller.tenant
    if not search.is_searchable(text):
        return {"found": [], "trails": {}, "more": False, "too_short": True}
    query = LocationQuery(q=text, limit=_FOUND)
    page = await queries.LISTING.page(db, request.cursors, tenant, query)
    found = [json.decode(item, type=Location) for item in page.items]
    trails = await queries.trails(db, tenant, [location.id for location in found])
    return {
        "found": found,
        "trails": trails,
        "more": page.last_evaluated_key is not None,
        "too_short": False,
    }


async def branch(request: PageRequest[Any, BranchQuery]) -> View:
    """A part of the tree, which the browser inserts."""
    query = request.query
    after = (query.after, query.after_id)
    nodes = await queries.branch(request.db, request.caller.tenant, query.parent_id, _BRANCH + 1, after=after)
    values = {
        "nodes": nodes[:_BRANCH],
        "more": len(nodes) > _BRANCH,
        "below": {},
        "parent_id": query.parent_id,
    }
    return View("locations/branch.html", values)


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant, form = request.db, request.caller.tenant, request.form
    parent_id = form.value("parentId", request.arguments.get("parentId", ""))
    row = await db.fetchrow(queries.LOCATIONS.select, tenant, parent_id) if parent_id else None
    parent = None if row is None else queries.LOCATIONS.load(row)
    values = {
        "form": form,
        "parent_id": parent_id,
        "parent": parent,
        "type": rules.usual_type(parent),
        **_offered(None),
    }
    return View("locations/new.html", values, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    location = await records.get(db, queries.LOCATIONS, tenant, request.params["locationId"])
    trail = (await queries.trails(db, tenant, [location.id])).get(location.id, [])
    nodes = await queries.branch(db, tenant, location.id, _BRANCH + 1)
    values = {
        "location": location,
        "trail": trail,
        "nodes": nodes[:_BRANCH],
        "more": len(nodes) > _BRANCH,
        "below": {},
        "may_write": request.may(Permission.LOCATIONS_WRITE),
        "form": request.form,
        "path": f"{PATH}/{location.id}",
        "address_lines": rules.address_lines(location.address or {}),
        "panels": await request.panels("location", location.id),
        **_offered(location),
    }
    return View("locations/one.html", values, status)


def _offered(location: Location | None) -> dict[str, Any]:
    return {
        "types": list(LocationType),
        "zones": [(name, name) for name in rules.time_zones()],
        "address": rules.address_fields(location.address if location else None),
        "address_labels": rules.ADDRESS,
    }


async def _change(ctx: Target, changes: LocationChanges) -> Location:
    """An address may hold more than the form shows."""
    if changes.address is not UNSET:
        location = await records.get(ctx.db, queries.LOCATIONS, ctx.tenant, ctx.id)
        changes = replace(changes, address=rules.changed_address(location.address, changes.address))
    return await actions.change(ctx, changes)


async def _move(ctx: Target, to: NewParent) -> Location:
    changes = LocationChanges(parent_id=to.parent_id)
    return await actions.change(ctx, changes)


RECORD = RecordPages(
    path=PATH,
    id_name="locationId",
    read_permission=Permission.LOCATIONS_READ,
    write_permission=Permission.LOCATIONS_WRITE,
    show=show_one,
    show_new=show_new,
)

PAGES: tuple[WebPage, ...] = (
    WebPage("GET", PATH, tree, Permission.LOCATIONS_READ, query=TreeQuery),
    WebPage("GET", f"{PATH}/branch", branch, Permission.LOCATIONS_READ, query=BranchQuery),
    *LIST.pages(),
    *import_pages.PAGES,
    RECORD.new(),
    RECORD.create(actions.create, form=NewLocation),
    RECORD.read(),
    RECORD.change(_change, form=LocationChanges),
    RECORD.change(_move, form=NewParent, name="move", path="/move"),
    RECORD.delete(actions.delete),
    *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
)
