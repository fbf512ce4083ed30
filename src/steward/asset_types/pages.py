"""Asset types in the web app: what assets of a kind report, in which units, and when they count as offline."""

from typing import Any

import msgspec
from msgspec import structs

from steward.asset_types import actions, queries
from steward.asset_types import cells as type_cells
from steward.asset_types.model import (
    DAY,
    AssetType,
    AssetTypeChanges,
    AssetTypeQuery,
    NewAssetType,
    PropertyType,
)
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.form_rows import sent_rows
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, RenderedPanel, View, WebPage
from steward.kit.web.record_pages import RecordPages

PATH = "/app/asset-types"

LIST = ListPage(
    path=PATH,
    title="Asset types",
    listing=queries.LISTING,
    record=AssetType,
    query=AssetTypeQuery,
    permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
    new="New asset type",
    search="Search name",
    template="asset_types/list.html",
    columns=(
        Column("name", "Name", cells.link, sort="name"),
        Column("properties", "Reports", type_cells.properties),
        Column("is_iot_device", "Device", cells.yes),
        Column("keep_alive", "Offline after", type_cells.offline_after),
        Column("description", "Description", shown=False),
        Column("updated", "Updated", cells.when, sort="updated", shown=False),
    ),
    empty=EmptyState("No asset types yet", "A type says what assets of a kind report, and in which units."),
)


class NewAssetTypePage(msgspec.Struct, frozen=True, kw_only=True):
    property_rows: list[dict[str, Any]]
    property_types: tuple[PropertyType, ...] = tuple(PropertyType)
    day: int = DAY


class AssetTypePage(NewAssetTypePage, frozen=True, kw_only=True):
    found: AssetType
    panels: list[RenderedPanel]


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    page = NewAssetTypePage(property_rows=sent_rows(request.form, "properties") or [])
    return View("asset_types/new.html", page, status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    found = await request.get(queries.ASSET_TYPES, "assetTypeId")
    sent = sent_rows(request.form.named("change"), "properties")
    page = AssetTypePage(
        found=found,
        panels=await request.panels("asset type", found.id),
        property_rows=[structs.asdict(one) for one in found.properties] if sent is None else sent,
    )
    return View("asset_types/one.html", page, status)


RECORD = RecordPages.of(LIST, "assetTypeId", show_one, show_new)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *RECORD.pages(actions.create, NewAssetType, actions.change, AssetTypeChanges, actions.delete),
)
