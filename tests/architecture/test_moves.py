"""A row of a state machine is all there is to a move: its route, and its button where there is one, follow from it."""

from tests.architecture.test_routes import OPERATIONS
from tests.support.offenders import listed

from steward.kit.coordination.tenant_cache import TenantCache
from steward.kit.records import moves
from steward.work_orders import pages, rules
from steward.work_orders.sla import queries as sla

ROWS = [(noun, row) for noun, machine in moves.ALL.items() for row in machine.rows]
COLLECTIONS = {
    "alert": "/organizations/{orgId}/alerts/{alertId}",
    "booking": "/organizations/{orgId}/bookings/{bookingId}",
    "form": "/organizations/{orgId}/forms/{formId}",
    "quotation": "/organizations/{orgId}/sor/quotations/{quotationId}",
    "schedule": "/organizations/{orgId}/sor/schedules/{scheduleId}",
    "visitor": "/organizations/{orgId}/visitors/{visitorId}",
    "work order": "/organizations/{orgId}/work-orders/{workOrderId}",
}


def test_every_move_has_a_route_and_a_body_if_it_needs_a_reason() -> None:
    offenders = [f"{noun} {row.verb}: {fault}" for noun, row in ROWS if (fault := _fault(noun, row))]
    assert ROWS
    assert offenders == [], listed(offenders)


def _fault(noun: str, row: moves.Move) -> str | None:
    if noun not in COLLECTIONS:
        return "nothing is known of this state machine's routes"
    operation = OPERATIONS.get(f"POST {COLLECTIONS[noun]}/{row.verb}")
    if (operation is None) != row.automatic:
        return "has a route, and happens by itself" if row.automatic else "has no route"
    if operation is not None and (
        operation.get("requestBody", {}).get("required", False) != row.needs_reason
    ):
        return "needs a reason, and no body" if row.needs_reason else "needs a body, and no reason"
    return None


def test_every_move_of_a_work_order_has_a_button() -> None:
    shown = pages.pages(TenantCache(sla.policy))
    buttons = {page.path.rpartition("/")[2] for page in shown if "}/" in page.path}
    # What else can be sent from the page of an order.
    others = {"checklist", "comments", "delete"}
    assert buttons - others == {row.verb for row in rules.MOVES.rows if not row.automatic}
