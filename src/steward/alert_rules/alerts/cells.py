"""Cells that only lists of alerts have."""

from typing import Any
from urllib.parse import quote

import msgspec
from markupsafe import escape

from steward.alert_rules.alerts.model import Alert, AlertedAsset, AlertStatus
from steward.kit.security.permissions import Permission
from steward.kit.web import moments
from steward.kit.web.badges import NOTHING
from steward.kit.web.cells import ListedColumn
from steward.kit.web.html import Html

_CAUSE = Html('<a class="row-link alert-cause" href="/app/alerts/%s">%s</a>%s')
_BELOW = Html('<span class="quiet small alert-rule">%s</span>')
_ASSET = Html('<a href="/app/assets/%s">%s</a>')
_ACKNOWLEDGED = Html('<span class="quiet"><span class="cell-name">Acknowledged by </span>%s</span>')
_BY = Html("%s, %s")
_ACKNOWLEDGE = Html(
    '<form method="post" action="%s" hx-post="%s" hx-target="#results" hx-swap="outerHTML">'
    '<button class="button is-small" aria-label="Acknowledge: %s, %s">Acknowledge</button></form>'
)
_ORDER = Html('<a class="nowrap" href="/app/work-orders/%s">See the order</a>')
_NEW_ORDER = Html('<a class="button is-small nowrap" href="%s" aria-label="New order for %s">New order</a>')
_LASTED = Html('<span class="quiet nowrap"><span class="cell-name">Lasted </span>%s</span>')


class AlertInWords(msgspec.Struct, frozen=True):
    """Values of an alert beyond its own fields."""

    cause: str
    # The present value of the key that raised it.
    value_now: str | None
    rule_name: str | None
    asset: AlertedAsset
    location_name: str | None
    acknowledged_by: str | None
    # The prefilled form for a work order.
    new_work_order: str


class ListedAlerts(msgspec.Struct, frozen=True):
    words: dict[str, AlertInWords]
    # Title, address, and the path of the list behind it.
    tabs: tuple[tuple[str, str, str], ...]


def _words(column: ListedColumn, record: Alert) -> AlertInWords:
    return column.context.words[record.id]  # type: ignore[no-any-return]


def _below(text: str | None) -> str:
    return _BELOW(text) if text else ""


def cause(column: ListedColumn, record: Alert, _value: Any) -> str:
    words = _words(column, record)
    return _CAUSE(record.id, words.cause, _below(words.rule_name))


def asset_and_place(column: ListedColumn, record: Alert, value: str) -> str:
    words = _words(column, record)
    may_see = column.request.may(Permission.ASSETS_READ)
    return (_ASSET(value, words.asset.name) if may_see else escape(words.asset.name)) + _below(
        words.location_name
    )


def acknowledged(column: ListedColumn, record: Alert, value: int | None) -> str:
    words = _words(column, record)
    if value:
        return _ACKNOWLEDGED(_BY(words.acknowledged_by or "Somebody", moments.when(value)))
    if record.status is not AlertStatus.ACTIVE:
        return _ACKNOWLEDGED("Nobody")
    if not column.request.may(Permission.IOT_WRITE):
        return _ACKNOWLEDGED("Nobody yet")
    action = f"/app/alerts/{record.id}/acknowledge?next={quote(column.here)}"
    return _ACKNOWLEDGE(action, action, words.asset.name, words.cause)


def work_order(column: ListedColumn, record: Alert, value: str | None) -> str:
    may = column.request.may
    if value:
        return _ORDER(value) if may(Permission.WORK_ORDERS_READ) else "Opened"
    asks = may(Permission.WORK_ORDERS_WRITE, Permission.WORK_ORDERS_REQUEST)
    if not asks or record.status is AlertStatus.CLEARED:
        return NOTHING
    words = _words(column, record)
    return _NEW_ORDER(words.new_work_order, words.asset.name)


def lasted(_column: ListedColumn, record: Alert, _value: Any) -> str:
    passed = (record.cleared_at or moments.now()) - record.first_seen
    return _LASTED(moments.duration(max(passed, 0)))
