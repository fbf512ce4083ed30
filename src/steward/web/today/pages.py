from datetime import timedelta
from typing import Any

from steward.assets import queries as assets
from steward.bookings.model import BOOKS
from steward.bookings.model import READS as BOOKED
from steward.kit.domain.days import date_of, midnight
from steward.kit.http.response import JSON, NOT_KEPT, Response, encode
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, View, WebPage
from steward.locations import queries as locations
from steward.users import queries as users
from steward.web.deep_links import HOME
from steward.web.today import queries, rules
from steward.web.today.rules import AT_RISK_SECONDS, DaySpan, TodayParts
from steward.work_orders.model import REPORTS

_DAYS = 30


async def show(request: PageRequest[Any, Any]) -> View:
    parts, day = TodayParts.of(request.caller.permissions), rules.day_of(request.now, request.zone)
    values = {
        "parts": parts,
        "day": day,
        "counted": queries.COUNTED,
        "may_report": request.may(REPORTS),
        "form": request.form,
        **await _orders(request, parts),
        **await _devices(request, parts),
        **await _people(request, parts, day),
    }
    values["names"] = await _names(request, values)
    return View("web/today.html", values, fragments={"today": "web/today_parts.html"})


async def _orders(request: PageRequest[Any, Any], parts: TodayParts) -> dict[str, Any]:
    db, tenant, user = request.db, request.caller.tenant, request.caller.user or ""
    soon = request.now + AT_RISK_SECONDS
    return {
        "assigned": await queries.assigned(db, tenant, user) if parts.assigned else [],
        "requests": await queries.reported(db, tenant, user) if parts.requests else [],
        "urgent": await queries.urgent(db, tenant, soon) if parts.everything else [],
        "counts": await queries.order_counts(db, tenant, soon) if parts.everything else None,
    }


async def _devices(request: PageRequest[Any, Any], parts: TodayParts) -> dict[str, Any]:
    if not parts.devices:
        return {"alerts": [], "offline": [], "device_counts": None}
    db, tenant = request.db, request.caller.tenant
    return {
        "alerts": await queries.open_alerts(db, tenant),
        "offline": await queries.offline(db, tenant),
        "device_counts": await queries.device_counts(db, tenant),
    }


async def _people(request: PageRequest[Any, Any], parts: TodayParts, day: DaySpan) -> dict[str, Any]:
    db, tenant = request.db, request.caller.tenant
    own = request.caller.own_records_only(BOOKED)
    return {
        "own_bookings": own is not None,
        "may_book": request.may(BOOKS),
        "bookings": await queries.bookings(db, tenant, day.start, day.end, own) if parts.bookings else [],
        "expected": await queries.expected(db, tenant, day.start, day.end) if parts.visitors else [],
        "on_site": await queries.on_site(db, tenant) if parts.visitors else [],
    }


async def _names(request: PageRequest[Any, Any], values: dict[str, Any]) -> dict[str, str]:
    """What everybody and everything on the page is called."""
    db, tenant = request.db, request.caller.tenant
    orders = [*values["assigned"], *values["requests"], *values["urgent"]]
    people = [order.assignee_id for order in orders] + [booking.booked_by for booking in values["bookings"]]
    people += [visitor.host_id for visitor in (*values["expected"], *values["on_site"])]
    return {
        **await users.LOOKUP.names(db, tenant, people),
        **await locations.LOOKUP.names(db, tenant, [order.location_id for order in orders]),
        **await assets.LOOKUP.names(db, tenant, [alert.asset_id for alert in values["alerts"]]),
    }


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
    WebPage(method="GET", path=HOME, handler=show),
    WebPage(
        method="GET",
        path=f"{HOME}/today/backlog.json",
        handler=backlog,
        permission=Permission.WORK_ORDERS_READ,
    ),
)
