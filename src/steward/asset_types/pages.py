"""Asset types in the web app: what assets of a kind report, in which units, and when they count as offline."""

from typing import Any

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
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.form_rows import sent_rows
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, View, WebPage
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


def _form_values(request: PageRequest[Any, Any], found: AssetType | None) -> dict[str, Any]:
    form = request.form.named("new" if found is None else "change")
    stored = [
        {"key": one.key, "name": one.name, "type": one.type, "unit": one.unit}
        for one in (found.properties if found else ())
    ]
    rows = sent_rows(form, "properties")
    return {
        "found": found,
        "sent": form,
        "property_rows": stored if rows is None else rows,
        "property_types": list(PropertyType),
        "day": DAY,
    }


async def show_new(request: PageRequest[Any, Any], status: int) -> View:
    return View("asset_types/new.html", _form_values(request, None), status)


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    db, tenant = request.db, request.caller.tenant
    found = await records.get(db, queries.ASSET_TYPES, tenant, request.params["assetTypeId"])
    values = {
        "form": request.form,
        "may_write": request.may(Permission.ASSETS_WRITE),
        "one_path": f"{PATH}/{found.id}",
        "panels": await request.panels("asset type", found.id),
        **_form_values(request, found),
    }
    return View("asset_types/one.html", values, status)


RECORD = RecordPages(
    path=PATH,
    id_name="assetTypeId",
    read_permission=Permission.ASSETS_READ,
    write_permission=Permission.ASSETS_WRITE,
    show=show_one,
    show_new=show_new,
)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    RECORD.new(),
    RECORD.create(actions.create, form=NewAssetType),
    RECORD.read(),
    RECORD.change(actions.change, form=AssetTypeChanges),
    RECORD.delete(actions.delete),
)
