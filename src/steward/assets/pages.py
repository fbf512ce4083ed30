"""Assets in the web app: the list, the page of one with its readings, and the form for a new one."""

from typing import Annotated, Any
from urllib.parse import urlencode

import msgspec
from msgspec import Meta

from steward.asset_types import queries as asset_types
from steward.asset_types.model import AssetType, KeepAlive
from steward.assets import actions, queries
from steward.assets import cells as asset_cells
from steward.assets.imports import pages as import_pages
from steward.assets.labels import pages as label_pages
from steward.assets.model import Asset, AssetChanges, AssetQuery, AssetStatus, NewAsset
from steward.assets.rules import ShownValue, metadata_from_text, metadata_text, shown_values
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
from steward.kit.web.list_filters import ARCHIVED, Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Picked, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages
from steward.kit.web.time_range import OWN, time_range
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


class NewAssetPage(msgspec.Struct, frozen=True):
    type: Picked
    location: Picked
    metadata_rows: list[dict[str, str]]


class ChartRange(msgspec.Struct, frozen=True):
    """The time of the charts: `start` and `end` as the address says, or else as they are shown."""

    name: str
    start: int | str
    end: int | str
    query: str
    errors: dict[str, str]


class AssetPage(msgspec.Struct, frozen=True, kw_only=True):
    found: Asset
    kind: AssetType
    readings: list[ShownValue]
    metadata: dict[str, str]
    location_name: str | None
    path: str
    chart_range: ChartRange
    panels: list[RenderedPanel]
    # Of the form that changes it.
    type: Picked
    location: Picked
    metadata_rows: list[dict[str, str]]
    own_keep_alive: int | None


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    page = NewAssetPage(
        await request.picked(asset_types.LOOKUP, "assetTypeId"),
        await request.picked(locations.LOOKUP, "locationId"),
        sent_rows(request.form, "metadata") or [],
    )
    return View("assets/new.html", page, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    found = await request.get(queries.ASSETS, "assetId")
    kind = await records.get(request.db, asset_types.ASSET_TYPES, request.tenant, found.asset_type_id)
    place = await request.name(locations.LOOKUP, found.location_id)
    metadata = {key: metadata_text(value) for key, value in found.metadata.items()}
    sent = sent_rows(request.form.named("change"), "metadata")
    page = AssetPage(
        found=found,
        kind=kind,
        readings=shown_values(kind.properties, found.last_telemetry),
        metadata=metadata,
        location_name=place,
        path=f"{PATH}/{found.id}",
        chart_range=_chart_range(request),
        panels=await request.panels("asset", found.id),
        type=await request.picked(asset_types.LOOKUP, "assetTypeId", Picked(kind.id, kind.name)),
        location=await request.picked(locations.LOOKUP, "locationId", Picked(found.location_id, place)),
        metadata_rows=[{"key": k, "value": v} for k, v in metadata.items()] if sent is None else sent,
        own_keep_alive=await queries.own_keep_alive(request.db, request.tenant, found.id),
    )
    return View("assets/one.html", page, status, fragments={"state": "assets/state.html"})


def _chart_range(request: PageRequest[Any, Any]) -> ChartRange:
    """An unreadable value is reported at its field, and the charts show a day."""
    given = {name: request.arguments[name] for name in ("range", "from", "to") if name in request.arguments}
    errors: dict[str, str] = {}
    try:
        shown = time_range(given, request.zone, request.now)
    except Invalid as problem:
        errors = {one.field: one.message[:1].upper() + one.message[1:] + "." for one in problem.details}
        shown = time_range({}, request.zone, request.now)
    query = urlencode({"range": shown.name} if errors else {"range": shown.name, **given})
    start, end = given.get("from", shown.start), given.get("to", shown.end)
    return ChartRange(OWN if errors else shown.name, start, end, query, errors)


RECORD = RecordPages.of(LIST, "assetId", show_one, show_new)


def pages(public_url: str | None) -> tuple[WebPage, ...]:
    """`public_url` is where labels lead to; None: where the browser is."""
    return (
        *LIST.pages(),
        *tree_pages.PAGES,
        *import_pages.PAGES,
        *label_pages.pages(public_url),
        *RECORD.pages(_create, AssetForm, _change, AssetForm, actions.delete),
        *RECORD.archiving(actions.ARCHIVING.archive, actions.ARCHIVING.restore),
    )
