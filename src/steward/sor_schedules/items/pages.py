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
from steward.kit.records import records
from steward.kit.security.permissions import Permission
from steward.kit.web.page import Outcome, PageRequest, Redirect, View, WebPage
from steward.kit.web.record_pages import expected_version
from steward.kit.web.submit import submit
from steward.sor_schedules import pages as schedules_pages
from steward.sor_schedules import queries as schedules
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
from steward.sor_schedules.model import Schedule, ScheduleStatus
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


async def _schedule(request: PageRequest[Any, Any]) -> Schedule:
    return await records.get(
        request.db, schedules.SCHEDULES, request.caller.tenant, request.params["scheduleId"]
    )


def _address(request: PageRequest[Any, Any], more: str = "") -> str:
    return f"{schedules_pages.PATH}/{request.params['scheduleId']}{more}"


async def add(request: PageRequest[ItemForm, Any]) -> Outcome:
    """Leads back to the form for the next one."""
    return await submit(
        request,
        lambda form: actions.create(
            request.context.inside(request.params["scheduleId"]),
            made_from(NewRateItem, form, rate_cents=form.rate_cents),
        ),
        to=lambda _: Redirect(_address(request, "?add=1")),
        again=lambda status: schedules_pages.show_one(request, status),
        name="item",
    )


async def show(request: PageRequest[Any, Any]) -> View:
    return await _show(request, 200)


async def _show(request: PageRequest[Any, Any], status: int) -> View:
    schedule = await _schedule(request)
    item = await records.get(
        request.db, queries.ITEMS, request.caller.tenant, request.params["itemId"], within=schedule.id
    )
    may_write = request.may(Permission.SOR_WRITE) and schedule.status is ScheduleStatus.DRAFT
    values = {"schedule": schedule, "item": item, "form": request.form, "may_write": may_write}
    return View("sor_schedules/item.html", values, status)


async def change(request: PageRequest[ItemForm, Any]) -> Outcome:
    return await submit(
        request,
        lambda form: actions.change(
            request.context.on(
                request.params["itemId"], expected_version(request), within=request.params["scheduleId"]
            ),
            made_from(RateItemChanges, form, rate_cents=form.rate_cents),
        ),
        to=lambda _: Redirect(_address(request)),
        again=lambda status: _show(request, status),
        name="change",
    )


async def remove(request: PageRequest[Any, Any]) -> Outcome:
    return await submit(
        request,
        lambda _: actions.delete(
            request.context.on(request.params["itemId"], within=request.params["scheduleId"])
        ),
        to=lambda _: Redirect(_address(request)),
        again=lambda status: _show(request, status),
        name="delete",
    )


async def show_import(request: PageRequest[Any, Any]) -> View:
    return _import_view(request, require_draft(await _schedule(request), "its items can be changed"))


def _import_view(
    request: PageRequest[Any, Any],
    schedule: Schedule,
    *,
    status: int = 200,
    text: str = "",
    report: ImportReport | None = None,
) -> View:
    values = {
        "schedule": schedule,
        "form": request.form,
        "most": MAX_ROWS,
        "text": text,
        "report": report,
        "path": _address(request),
    }
    return View("sor_schedules/import.html", values, status)


async def import_file(request: PageRequest[ImportForm, Any]) -> Outcome:
    """First a preview; a valid file is then sent again, and stored."""
    schedule = await _schedule(request)
    sent = request.form.content
    text = (sent.file or sent.text or "") if sent else ""

    async def run(form: ImportForm) -> ImportReport:
        if not text:
            raise Invalid("file", "choose a file with at least one rate")
        return await actions.import_csv(request.context.inside(schedule.id), text, dry_run=not form.confirmed)

    def redirect_after(report: ImportReport) -> Redirect | View:
        if not report.dry_run:
            return Redirect(_address(request, f"?imported={report.created + report.changed}"))
        return _import_view(request, schedule, text=text, report=report)

    async def again(status: int) -> View:
        return _import_view(request, schedule, status=status, text=text)

    return await submit(request, run, to=redirect_after, again=again, name="import")


async def find(request: PageRequest[Any, Any]) -> Response:
    """The options of a quotation's lines."""
    schedule = await _schedule(request)
    text = request.arguments.get("q", "")
    found = await queries.find(request.db, request.caller.tenant, schedule.id, text, _FOUND)
    return Response(200, encode([_found(item) for item in found]), [JSON, NOT_KEPT])


def _found(item: RateItem) -> FoundRate:
    return FoundRate(
        item.id,
        f"{item.code} {item.description}",
        f"{money(item.rate_cents)} per {item.unit}",
        item.code,
        item.description,
        item.unit,
        item.rate_cents,
    )


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
    schedule = await _schedule(request)
    filters = queries.LISTING.filters(ItemQuery(q=request.arguments.get("q")), schedule.id)
    return await export_rows(
        queries.LISTING, _FILE, request.db, request.caller.tenant, filters, file_name="rates.csv"
    )


_ONE = f"{schedules_pages.RECORD.one}/items"
_IMPORT = f"{schedules_pages.RECORD.one}/import"
PAGES: tuple[WebPage, ...] = (
    WebPage("POST", _ONE, add, Permission.SOR_WRITE, form=ItemForm),
    WebPage("GET", f"{_ONE}.json", find, Permission.SOR_READ),
    WebPage("GET", f"{_ONE}.csv", download, Permission.SOR_READ, from_replica=True),
    WebPage("GET", f"{_ONE}/{{itemId}}", show, Permission.SOR_READ),
    WebPage("POST", f"{_ONE}/{{itemId}}", change, Permission.SOR_WRITE, form=ItemForm),
    WebPage("POST", f"{_ONE}/{{itemId}}/delete", remove, Permission.SOR_WRITE),
    WebPage("GET", _IMPORT, show_import, Permission.SOR_WRITE),
    WebPage("POST", _IMPORT, import_file, Permission.SOR_WRITE, form=ImportForm, upload=True),
)
