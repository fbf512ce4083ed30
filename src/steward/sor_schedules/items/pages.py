"""The rates of a schedule in the web app: one by one, as a file, and as search results for quotation lines."""

import csv
import io
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from steward.kit.db.listing import Listing
from steward.kit.domain.csv_rows import MAX_ROWS, ImportReport, as_text
from steward.kit.domain.fields import Body
from steward.kit.domain.money import cents_of, money
from steward.kit.domain.problems import Invalid
from steward.kit.domain.shared_fields import made_from
from steward.kit.http.export import ExportFormat, export_rows
from steward.kit.http.response import JSON, NOT_KEPT, Response, StreamingResponse, encode
from steward.kit.records.context import Target
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.sor_schedules import pages as schedule_pages
from steward.sor_schedules.items import actions, queries
from steward.sor_schedules.items.model import (
    MAX_RATE_CENTS,
    Code,
    ItemQuery,
    ItemText,
    NewRateItem,
    RateItem,
    RateItemChanges,
    Unit,
)
from steward.sor_schedules.model import Schedule
from steward.sor_schedules.queries import SCHEDULES
from steward.sor_schedules.rules import require_draft

_FOUND = 12
_BAD_RATE = f"must be an amount such as 42.50, at most {money(MAX_RATE_CENTS)}"
_FILE_COLUMNS = ("code", "description", "unit", "rateCents")


class ItemForm(Body, frozen=True):
    """A rate as people type it: the amount with two decimals."""

    code: Code
    description: ItemText
    unit: Unit
    rate: Annotated[str, Meta(max_length=40)]

    @property
    def rate_cents(self) -> int:
        cents = cents_of(self.rate)
        if cents is None or cents > MAX_RATE_CENTS:
            raise Invalid("rate", _BAD_RATE)
        return cents


class ImportForm(Body, frozen=True):
    """A file, or its text after the preview."""

    file: str | None = None
    text: str | None = None
    confirmed: bool = False


class FoundRate(msgspec.Struct, frozen=True, rename="camel"):
    """An option of a search, and the values that a line takes from it."""

    id: str
    label: str
    detail: str
    code: str
    description: str
    unit: str
    rate_cents: int


class ItemPage(msgspec.Struct, frozen=True):
    schedule: Schedule
    item: RateItem
    may_write: bool


class RatesImportPage(msgspec.Struct, frozen=True, kw_only=True):
    schedule: Schedule
    path: str
    text: str = ""
    report: ImportReport | None = None
    most: int = MAX_ROWS


async def _add(ctx: Target, form: ItemForm) -> RateItem:
    return await actions.create(ctx.inside(ctx.id), made_from(NewRateItem, form, rate_cents=form.rate_cents))


async def _show(request: PageRequest[Any, Any], status: int) -> View:
    schedule = await request.get(SCHEDULES, "scheduleId")
    item = await request.get(queries.ITEMS, "itemId", within="scheduleId")
    page = ItemPage(schedule, item, schedule_pages.may_write(request, schedule))
    return View("sor_schedules/item.html", page, status)


async def _change(ctx: Target, form: ItemForm) -> RateItem:
    return await actions.change(ctx, made_from(RateItemChanges, form, rate_cents=form.rate_cents))


async def show_import(request: PageRequest[Any, Any]) -> View:
    return _import_view(require_draft(await request.get(SCHEDULES, "scheduleId"), "its items can be changed"))


def _import_view(
    schedule: Schedule, *, status: int = 200, text: str = "", report: ImportReport | None = None
) -> View:
    path = f"{schedule_pages.PATH}/{schedule.id}"
    page = RatesImportPage(schedule=schedule, path=path, text=text, report=report)
    return View("sor_schedules/import.html", page, status)


async def import_file(request: PageRequest[ImportForm, Any]) -> Outcome:
    """First a preview; a valid file is then sent again, and stored."""
    schedule = await request.get(SCHEDULES, "scheduleId")
    sent = request.form.content
    text = (sent.file or sent.text or "") if sent else ""

    async def run(form: ImportForm) -> ImportReport:
        if not text:
            raise Invalid("file", "choose a file with at least one rate")
        return await actions.import_csv(request.context.inside(schedule.id), text, dry_run=not form.confirmed)

    def redirect_after(report: ImportReport) -> Redirect | View:
        if not report.dry_run:
            imported = report.created + report.changed
            return Redirect(f"{schedule_pages.PATH}/{schedule.id}?imported={imported}")
        return _import_view(schedule, text=text, report=report)

    async def again(status: int) -> View:
        return _import_view(schedule, status=status, text=text)

    return await submit(request, run, to=redirect_after, again=again, name="import")


async def find(request: PageRequest[Any, Any]) -> Response:
    """The options of a quotation's lines."""
    schedule = await request.get(SCHEDULES, "scheduleId")
    text = request.arguments.get("q", "")
    found = await queries.find(request.db, request.tenant, schedule.id, text, _FOUND)
    return Response(200, encode([_found(item) for item in found]), [JSON, NOT_KEPT])


def _found(item: RateItem) -> FoundRate:
    detail = f"{money(item.rate_cents)} per {item.unit}"
    return made_from(FoundRate, item, label=f"{item.code} {item.description}", detail=detail)


def _file_rows(_listing: Listing, items: list[str]) -> bytes:
    text = io.StringIO()
    decoded = map(msgspec.json.decode, items)
    csv.writer(text).writerows([as_text(str(item[name])) for name in _FILE_COLUMNS] for item in decoded)
    return text.getvalue().encode()


# The columns that an import takes, so that next year's schedule can start from this year's file.
_FILE = ExportFormat(
    "csv", "CSV", "text/csv", lambda _listing: (",".join(_FILE_COLUMNS) + "\r\n").encode(), _file_rows
)


async def download(request: PageRequest[Any, Any]) -> StreamingResponse:
    schedule = await request.get(SCHEDULES, "scheduleId")
    filters = queries.LISTING.filters(ItemQuery(q=request.arguments.get("q")), schedule.id)
    return await export_rows(
        queries.LISTING, _FILE, request.db, request.tenant, filters, file_name="rates.csv"
    )


_SCHEDULE = schedule_pages.RECORD
_ITEM = _SCHEDULE.below("items", "itemId", _show, leads_to=_SCHEDULE.one)
_IMPORT = f"{_SCHEDULE.one}/import"
PAGES: tuple[WebPage, ...] = (
    # Leads back to the form for the next one.
    _SCHEDULE.change(_add, form=ItemForm, name="item", path="/items", to=f"{_SCHEDULE.one}?add=1"),
    WebPage("GET", f"{_ITEM.path}.json", find, Permission.SOR_READ),
    WebPage("GET", f"{_ITEM.path}.csv", download, Permission.SOR_READ, from_replica=True),
    _ITEM.read(),
    _ITEM.change(_change, form=ItemForm),
    _ITEM.delete(actions.delete),
    WebPage("GET", _IMPORT, show_import, Permission.SOR_WRITE),
    WebPage("POST", _IMPORT, import_file, Permission.SOR_WRITE, form=ImportForm, upload=True),
)
