from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import msgspec
from markupsafe import Markup

from steward.bookings.model import BOOKS
from steward.bookings.model import READS as BOOKED
from steward.kit.domain.days import date_of, midnight
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.security.permissions import Permission
from steward.kit.web.form import SubmittedForm
from steward.kit.web.page import PageRequest, View, WebPage
from steward.web.deep_links import HOME
from steward.web.today import queries, rules
from steward.web.today.cells import order_rows
from steward.web.today.queries import COUNTED, Counts, TodayEntry
from steward.web.today.rules import DaySpan, TodayParts
from steward.work_orders.model import REPORTS

_DAYS = 30


class TodayPage(msgspec.Struct, frozen=True, kw_only=True):
    parts: TodayParts
    day: DaySpan
    # None: the viewer sees neither orders of everybody nor devices.
    counts: Counts | None
    counted: int = COUNTED
    orders: Mapping[str, Markup]
    entries: Mapping[str, list[TodayEntry]]
    may_report: bool
    own_bookings: bool
    may_book: bool
    form: SubmittedForm[Any]


async def show(request: PageRequest[Any, Any]) -> View:
    db, tenant, user = request.db, request.caller.tenant, request.caller.user or ""
    parts, day = TodayParts.of(request.caller.permissions), rules.day_of(request.now, request.zone)
    own = request.caller.own_records_only(BOOKED)
    found = await queries.rows(db, tenant, parts, day, user=user, own=own, now=request.now)
    page = TodayPage(
        parts=parts,
        day=day,
        counts=found.counts,
        orders={part: order_rows(of, with_assignee=part == "urgent") for part, of in found.orders.items()},
        entries=found.entries,
        may_report=request.may(REPORTS),
        own_bookings=own is not None,
        may_book=request.may(BOOKS),
        form=request.form,
    )
    return View("web/today.html", page, fragments={"today": "web/today_parts.html"})


async def backlog(request: PageRequest[Any, Any]) -> Response:
    """The chart of what was open on each of the last days."""
    today, zone = date_of(request.now, request.zone), request.zone
    days = [midnight(today - timedelta(days=ago), zone) for ago in reversed(range(_DAYS))]
    open_now, made, closed = await queries.flow(request.db, request.caller.tenant, days[0], str(zone))
    points = list(zip(days, rules.backlog_by_day(open_now, made, closed, _DAYS), strict=True))
    chart = {
        "kind": "line",
        "x": "time",
        "min": 0,
        "series": [{"name": "Open work orders", "points": points}],
    }
    return Response(200, encode(chart), [JSON, NOT_KEPT])


PAGES = (
    WebPage("GET", HOME, show),
    WebPage("GET", f"{HOME}/today/backlog.json", backlog, Permission.WORK_ORDERS_READ),
)
