"""The rows of work orders: there can be dozens, and Python builds them at half the cost of a Jinja macro."""

from markupsafe import Markup

from steward.kit.web import badges
from steward.kit.web.html import Html
from steward.web.today.queries import TodayOrder
from steward.work_orders.rules import FINAL

_ROW = Html(
    """<li>
  <div>
    <a class="row-link" href="/app/work-orders/%s">%s</a>
    <p class="quiet small">No. %s%s%s</p>
  </div>
  <div class="row-end">%s %s %s</div>
</li>
"""
)
_SEPARATED = " \N{MIDDLE DOT} "


def order_rows(orders: list[TodayOrder], *, with_assignee: bool = False) -> Markup:
    return Markup("".join([_row(order, with_assignee) for order in orders]))  # noqa: S704 (rows are escaped)


def _row(order: TodayOrder, with_assignee: bool) -> Markup:
    place = _SEPARATED + order.location if order.location else ""
    person = _SEPARATED + (order.assignee or "unassigned") if with_assignee else ""
    due = "" if order.status in FINAL else badges.due(order.deadline, paused=order.paused_since is not None)
    priority, status = badges.priority(order.priority), badges.status(order.status)
    return _ROW(order.id, order.title, order.number, place, person, priority, status, due)
