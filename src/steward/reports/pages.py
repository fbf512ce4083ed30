import csv
import io
from typing import Any
from urllib.parse import urlencode

import msgspec

from steward.kit.domain.csv_rows import as_text
from steward.kit.domain.problems import Forbidden, NotFound
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.security.permissions import MEANINGS, Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.reports import rules
from steward.reports.actions import BY_ID, REPORTS
from steward.reports.model import MOST_ROWS, Report, ReportQuery, ReportRow, ReportSpan

PATH = "/app/reports"


class ReportsPage(msgspec.Struct, frozen=True):
    reports: list[Report]


class ReportPage(msgspec.Struct, frozen=True, kw_only=True):
    report: Report
    rows: list[ReportRow]
    since: str
    until: str
    # The query of its chart, and of its file.
    arguments: str
    most: int = MOST_ROWS


async def index(request: PageRequest[Any, Any]) -> View:
    return View("reports/index.html", ReportsPage([r for r in REPORTS if request.may(r.permission)]))


async def show(request: PageRequest[Any, ReportQuery]) -> View:
    report, span = _asked(request)
    since, until = (day.isoformat() for day in rules.days_of(span))
    page = ReportPage(
        report=report,
        rows=await report.load(request.db, request.tenant, span),
        since=since,
        until=until,
        arguments=urlencode({"since": since, "until": until}),
    )
    return View("reports/one.html", page)


async def chart(request: PageRequest[Any, ReportQuery]) -> Response:
    report, span = _asked(request)
    if report.chart is None:
        raise NotFound("This report has no chart.")
    rows = await report.load(request.db, request.tenant, span)
    return Response(200, encode(report.chart(rows)), [JSON, NOT_KEPT])


async def table(request: PageRequest[Any, ReportQuery]) -> Response:
    report, span = _asked(request)
    rows = await report.load(request.db, request.tenant, span)
    headers = [
        ("content-type", "text/csv; charset=utf-8"),
        ("content-disposition", f'attachment; filename="{report.id}.csv"'),
        NOT_KEPT,
    ]
    return Response(200, _csv(report, rows), headers)


def _csv(report: Report, rows: list[ReportRow]) -> bytes:
    """Shares as numbers from 0 to 1 and durations in seconds, for further calculation."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(column.title for column in report.columns)
    writer.writerows([as_text(c) if isinstance(c, str) else c for c in row.cells] for row in rows)
    return text.getvalue().encode()


def _asked(request: PageRequest[Any, ReportQuery]) -> tuple[Report, ReportSpan]:
    report = BY_ID.get(request.params["reportId"])
    if report is None:
        raise NotFound("There is no such report.")
    if not request.may(report.permission):
        raise Forbidden(
            f"This report needs the permission {report.permission} ({MEANINGS[report.permission]})."
        )
    query = request.query
    return report, rules.span(query.since, query.until, days=report.days, now=request.now, zone=request.zone)


def _page(path: str, handler: Any) -> WebPage:
    return WebPage("GET", path, handler, Permission.ORGANIZATION_READ, query=ReportQuery, from_replica=True)


PAGES = (
    WebPage("GET", PATH, index, Permission.ORGANIZATION_READ),
    _page(f"{PATH}/{{reportId}}", show),
    _page(f"{PATH}/{{reportId}}/chart.json", chart),
    _page(f"{PATH}/{{reportId}}/rows.csv", table),
)
