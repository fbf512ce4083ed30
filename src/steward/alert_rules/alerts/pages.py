"""Alerts in the web app: the open ones, worst first; past ones; the page of one; and the panel on an asset's
page.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace

from steward.alert_rules import queries as alert_rules
from steward.alert_rules.alerts import actions, queries
from steward.alert_rules.alerts import cells as alert_cells
from steward.alert_rules.alerts.cells import AlertInWords, ListedAlerts
from steward.alert_rules.alerts.model import (
    Alert,
    AlertedAsset,
    AlertStatus,
    ClearedAlertQuery,
    OpenAlertQuery,
)
from steward.alert_rules.alerts.rules import MOVES, cause, value_now, work_order_title
from steward.alert_rules.model import Severity
from steward.assets import queries as assets
from steward.kit.records.moves import Move
from steward.kit.security.permissions import Permission
from steward.kit.web import cells
from steward.kit.web.columns import Column
from steward.kit.web.list_filters import Choice, Pick, choices
from steward.kit.web.list_page import EmptyState, ListPage
from steward.kit.web.page import PageRequest, Panel, View, WebPage
from steward.kit.web.record_pages import RecordPages, allowed_moves
from steward.locations import queries as locations
from steward.users import queries as users

PATH = "/app/alerts"
CLEARED_PATH = f"{PATH}/cleared"
_PANEL_OPEN, _PANEL_CLEARED = 20, 5


async def in_words(request: PageRequest[Any, Any], alerts: Sequence[Alert]) -> dict[str, AlertInWords]:
    """By alert: four queries for any number of them."""
    about = await queries.assets_of(request.db, request.tenant, (alert.asset_id for alert in alerts))
    rules = await alert_rules.by_ids(request.db, request.tenant, (alert.rule_id for alert in alerts))
    places = await request.names(locations.LOOKUP, (each.location_id for each in about.values()))
    people = await request.names(users.LOOKUP, (alert.acknowledged_by for alert in alerts))
    found = {}
    for alert in alerts:
        rule, its_asset = rules.get(alert.rule_id), about[alert.asset_id]
        found[alert.id] = AlertInWords(
            cause(alert, rule, its_asset, request.now),
            None if alert.status is AlertStatus.CLEARED else value_now(alert, its_asset),
            None if rule is None else rule.name,
            its_asset,
            places.get(its_asset.location_id or ""),
            people.get(alert.acknowledged_by or ""),
            _new_work_order(work_order_title(rule, its_asset), its_asset),
        )
    return found


def _new_work_order(title: str, about: AlertedAsset) -> str:
    given = {"assetId": about.id, "locationId": about.location_id, "title": title}
    return f"/app/work-orders/new?{urlencode({name: value for name, value in given.items() if value})}"


async def _list_context(request: PageRequest[Any, Any], rows: list[Alert]) -> ListedAlerts:
    chosen = {name: request.arguments[name] for name in _FILTER_NAMES if name in request.arguments}
    narrowed = f"?{urlencode(chosen)}" if chosen else ""
    return ListedAlerts(
        await in_words(request, rows),
        (("Open", f"{PATH}{narrowed}", PATH), ("Cleared", f"{CLEARED_PATH}{narrowed}", CLEARED_PATH)),
    )


_FILTERS = (
    Choice(name="severity", title="Severity", options=choices(reversed(Severity))),
    Pick(name="assetId", title="Asset", lookup=assets.LOOKUP),
    Pick(name="locationId", title="Location", lookup=locations.LOOKUP, implies=locations.BELOW),
)
_FILTER_NAMES = tuple(filter.name for filter in _FILTERS)
_SEVERITY = Column("severity", "Severity", cells.status)
_CAUSE = Column("id", "Cause", alert_cells.cause)
_ASSET = Column("asset_id", "Asset", alert_cells.asset_and_place)
_SEEN_BY = Column("acknowledged_at", "Acknowledged", alert_cells.acknowledged)
_WORK = Column("work_order_id", "Work order", alert_cells.work_order)

LIST = ListPage(
    path=PATH,
    title="Alerts",
    listing=queries.LISTING_FOR_PEOPLE,
    record=Alert,
    query=OpenAlertQuery,
    permission=Permission.IOT_READ,
    live="alerts",
    template="alert_rules/alerts.html",
    columns=(
        _SEVERITY,
        _CAUSE,
        _ASSET,
        Column("first_seen", "Since", cells.when),
        Column("last_seen", "Last seen", cells.when, shown=False),
        Column("count", "Readings", shown=False),
        _SEEN_BY,
        _WORK,
    ),
    filters=_FILTERS,
    empty=EmptyState(
        "All quiet", "No rule has found anything that needs a look. New alerts appear here by themselves."
    ),
    context=_list_context,
)
CLEARED_LIST = replace(
    LIST,
    path=CLEARED_PATH,
    query=ClearedAlertQuery,
    columns=(
        _SEVERITY,
        _CAUSE,
        _ASSET,
        Column("first_seen", "Began", cells.when, shown=False),
        Column("cleared_at", "Cleared", cells.when),
        Column("last_seen", "Lasted", alert_cells.lasted),
        _SEEN_BY,
        _WORK,
    ),
    empty=EmptyState("No cleared alerts yet", "Alerts move here when their cause is gone."),
)


class AlertPage(msgspec.Struct, frozen=True, kw_only=True):
    alert: Alert
    word: AlertInWords
    moves: list[Move[Alert, Any]]
    alert_path: str


class AlertsOfAsset(msgspec.Struct, frozen=True):
    of_asset: str
    alerts: list[Alert]
    words: dict[str, AlertInWords]


async def show_one(request: PageRequest[Any, Any], status: int) -> View:
    alert = await request.get(queries.ALERTS, "alertId")
    page = AlertPage(
        alert=alert,
        word=(await in_words(request, [alert]))[alert.id],
        moves=allowed_moves(request, MOVES, alert.status, {"acknowledge": Permission.IOT_WRITE}),
        alert_path=f"{PATH}/{alert.id}",
    )
    return View("alert_rules/alert.html", page, status, fragments={"alert": "alert_rules/alert_body.html"})


async def show_of_asset(request: PageRequest[Any, Any], asset_id: str) -> View:
    found = await queries.of_asset(request.db, request.tenant, asset_id, _PANEL_OPEN, _PANEL_CLEARED)
    panel = AlertsOfAsset(asset_id, found, await in_words(request, found))
    return View("alert_rules/asset_alerts.html", panel)


_RECORD = RecordPages.of(LIST, "alertId", show_one, write_permission=Permission.IOT_WRITE)

PAGES: tuple[WebPage, ...] = (
    *LIST.pages(),
    *CLEARED_LIST.pages(),
    _RECORD.read(),
    _RECORD.move("acknowledge", actions.acknowledge),
)
PANELS = (Panel("asset", "alerts", "Alerts", show_of_asset, Permission.IOT_READ, place=-1),)
