import csv
import io
from typing import Any
from urllib.parse import urlencode

from steward.kit.domain.csv_rows import as_text
from steward.kit.domain.problems import Forbidden, NotFound
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.security.permissions import MEANINGS, Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.reports import rules
from steward.reports.actions import BY_ID, REPORTS
from steward.reports.model import MOST_ROWS, Report, ReportQuery, ReportRow, ReportSpan

PATH = "/app/reports"


async def index(request: PageRequest[Any, Any]) -> View:
    return View("reports/index.html", {"reports": [r for r in REPORTS if request.may(r.permission)]})


async def show(request: PageRequest[Any, ReportQuery]) -> View:
    report, span = _asked(request)
    first, last = rules.days_of(span)
    days = {"since": first.isoformat(), "until": last.isoformat()}
    values = {
        "report": report,
        "rows": await report.load(request.db, request.caller.tenant, span),
        "most": MOST_ROWS,
        "arguments": urlencode(days),
        **days,
    }
    return View("reports/one.html", values)


async def chart(request: PageRequest[Any, ReportQuery]) -> Response:
    report, span = _asked(request)
    if report.chart is None:
        raise NotFound("This report has no chart.")
    rows = await report.load(request.db, request.caller.tenant, span)
    return Response(200, encode(report.chart(rows)), [JSON, NOT_KEPT])


async def table(request: PageRequest[Any, ReportQuery]) -> Response:
    report, span = _asked(request)
    rows = await report.load(request.db, request.caller.tenant, span)
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
