"""Assets in the web app: the list, the page of one with its readings, and the form for a new one."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from msgspec import Meta

from steward.asset_types import queries as asset_types
from steward.asset_types.model import KeepAlive
from steward.assets import actions, queries
from steward.assets import cells as asset_cells
from steward.assets.imports import pages as import_pages
from steward.assets.labels import pages as label_pages
from steward.assets.model import Asset, AssetChanges, AssetQuery, AssetStatus, NewAsset
from steward.assets.rules import metadata_from_text, metadata_text, shown_values
from steward.assets.tree import pages as tree_pages
from steward.kit.domain.fields import Body, ExternalId, Identifier, Name, Text
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.records import records
from steward.kit.records.context import Context, Target
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.form_rows import sent_rows
from steward.kit.web.list_page import ARCHIVED, Choice, EmptyState, ListPage, Pick, choices
from steward.kit.web.page import PageRequest, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.time_range import OWN, SPANS, time_range
from steward.locations import queries as locations

PATH = "/app/assets"

LIST = ListPage(
    path=PATH,
    title="Assets",
    listing=queries.LISTING,
    record=Asset,
    query=AssetQuery,
    permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
    new="New asset",
    search="Search assets",
    live="assets",
    template="assets/list.html",
    columns=(
        Column("name", "Name", cells.link, sort="name"),
        Column("asset_type_id", "Type", cells.reference, lookup=asset_types.LOOKUP),
        Column("location_id", "Location", cells.reference, lookup=locations.LOOKUP),
        Column("status", "Status", cells.status),
        Column("connection_status", "Connection", asset_cells.connection),
        Column("last_seen", "Last reading", cells.when),
        Column("external_id", "External ID", cells.code, shown=False),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
        Column("created", "Created", cells.when, sort="created", shown=False),
    ),
    filters=(
        Pick(name="assetTypeId", title="Type", lookup=asset_types.LOOKUP),
        Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
        Choice(name="status", title="Status", options=choices(AssetStatus)),
        Choice(
            name="connectionStatus", title="Connection", options=(("true", "Connected"), ("false", "Offline"))
        ),
        ARCHIVED,
    ),
    empty=EmptyState(
        "No assets yet", "Add the first one with “New asset”, or import a file with many of them."
    ),
)


class MetadataRow(Body, frozen=True):
    key: Annotated[str, Meta(min_length=1, max_length=100, pattern=r"\S")]
    value: Text = ""


class AssetForm(Body, frozen=True):
    """An asset as its form sends it, always whole: a blank field clears it."""

    name: Name
    asset_type_id: Identifier
    description: Text | None = None
    external_id: ExternalId | None = None
    location_id: Identifier | None = None
    keep_alive: KeepAlive | None = None
    metadata: Annotated[list[MetadataRow], Meta(max_length=100)] = []

    def metadata_beside(self, old: dict[str, Any]) -> dict[str, Any]:
        return metadata_from_text(((row.key, row.value) for row in self.metadata), old)


async def _create(ctx: Context, form: AssetForm) -> Asset:
    return await actions.create(ctx, made_from(NewAsset, form, metadata=form.metadata_beside({})))


async def _change(ctx: Target, form: AssetForm) -> Asset:
    old = await records.get(ctx.db, queries.ASSETS, ctx.tenant, ctx.id)
    changes = made_from(AssetChanges, form, metadata=form.metadata_beside(old.metadata))
    return await actions.change(ctx, changes)


async def _form_values(
    request: PageRequest[Any, Any], found: Asset | None, known: Mapping[str | None, str | None]
) -> dict[str, Any]:
    """The values of the form's fields: as sent, or else as stored, or from the page's address.

    `known` are names of records that need no query.
    """
    form, arguments = request.form.named("new" if found is None else "change"), request.arguments
    type_id = form.value("assetTypeId", found.asset_type_id if found else arguments.get("assetTypeId", ""))
    location_id = form.value("locationId", found.location_id if found else arguments.get("locationId", ""))
    stored = [
        {"key": key, "value": metadata_text(value)}
        for key, value in (found.metadata if found else {}).items()
    ]
    rows = sent_rows(form, "metadata")
    db, tenant = request.db, request.caller.tenant
    return {
        "sent": form,
        "type_id": type_id,
        "type_name": known.get(type_id) or await asset_types.LOOKUP.name(db, tenant, type_id),
        "location_id": location_id,
        "location_name": known.get(location_id) or await locations.LOOKUP.name(db, tenant, location_id),
        "metadata_rows": stored if rows is None else rows,
    }


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    values = await _form_values(request, None, {})
    return View("assets/new.html", {"found": None, "own_keep_alive": None, **values}, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    found = await records.get(db, queries.ASSETS, tenant, request.params["assetId"])
    kind = await records.get(db, asset_types.ASSET_TYPES, tenant, found.asset_type_id)
    place = await locations.LOOKUP.name(db, tenant, found.location_id)
    values = {
        "found": found,
        "kind": kind,
        "readings": shown_values(kind.properties, found.last_telemetry),
        "metadata_text": metadata_text,
        "own_keep_alive": await queries.own_keep_alive(db, tenant, found.id),
        "at_location": place,
        "may_write": request.may(Permission.ASSETS_WRITE),
        "form": request.form,
        "one_path": f"{PATH}/{found.id}",
        "panels": await request.panels("asset", found.id),
        **_chart_values(request),
        **await _form_values(request, found, {kind.id: kind.name, found.location_id: place}),
    }
    fragments = {"state": "assets/state.html"}
    return View("assets/one.html", values, status, fragments=fragments)


def _chart_values(request: PageRequest[Any, Any]) -> dict[str, Any]:
    """The time range of the charts.

    An unreadable value is reported at its field, and the charts show a day.
    """
    given = {name: request.arguments[name] for name in ("range", "from", "to") if name in request.arguments}
    errors: dict[str, str] = {}
    try:
        shown = time_range(given, request.zone, request.now)
    except Invalid as problem:
        errors = {one.field: one.message[:1].upper() + one.message[1:] + "." for one in problem.details}
        shown = time_range({}, request.zone, request.now)
    return {
        "chart_range": OWN if errors else shown.name,
        "range_errors": errors,
        "range_from": given.get("from", shown.start),
        "range_to": given.get("to", shown.end),
        "spans": list(SPANS),
        "chart_query": urlencode({"range": shown.name} if errors else {"range": shown.name, **given}),
    }


RECORD = RecordPages(
    path=PATH,
    id_name="assetId",
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
    show=show_one,
    show_new=show_new,
)


def pages(public_url: str | None) -> tuple[WebPage, ...]:
    """`public_url` is where labels lead to; None: where the browser is."""
    return (
        *LIST.pages(),
        *tree_pages.PAGES,
        *import_pages.PAGES,
        *label_pages.pages(public_url),
        RECORD.new(),
        RECORD.create(_create, form=AssetForm),
        RECORD.read(),
        RECORD.change(_change, form=AssetForm),
        RECORD.delete(actions.delete),
        *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
    )
