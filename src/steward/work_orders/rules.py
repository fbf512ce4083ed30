"""What the verbs do to a work order: pure functions from the old order to the new one, or a Problem."""

from collections.abc import Callable

from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import given
from steward.kit.domain.problems import Conflict, Invalid
from steward.work_orders.events import MOVES
from steward.work_orders.model import (
    ChecklistItem,
    NewChecklistItem,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderStatus,
)
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.rules import SlaPolicy

FINAL = (WorkOrderStatus.COMPLETED, WorkOrderStatus.CANCELLED)


def start(order: WorkOrder, now: int) -> WorkOrder:
    """Open → InProgress: this is the response, the first time."""
    started = MOVES.apply(order, "start")
    return replace(started, responded_at=order.responded_at or now)


def hold(order: WorkOrder, reason: str, now: int) -> WorkOrder:
    return sla.paused(replace(MOVES.apply(order, "hold"), hold_reason=reason), now)


def resume(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    return sla.resumed(policy, replace(MOVES.apply(order, "resume"), hold_reason=None), now)


def complete(order: WorkOrder, by: str | None, now: int) -> WorkOrder:
    """InProgress → Completed; the resolution clock stands still from here, in case the order is reopened."""
    return sla.paused(replace(MOVES.apply(order, "complete"), completed_at=now, completed_by=by), now)


def cancel(order: WorkOrder, reason: str) -> WorkOrder:
    return replace(MOVES.apply(order, "cancel"), cancel_reason=reason, sla_paused_since=None)


def reopen(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    """Completed → InProgress; the time in between does not count."""
    reopened = replace(MOVES.apply(order, "reopen"), completed_at=None, completed_by=None)
    return sla.resumed(policy, reopened, now)


def change(
    policy: SlaPolicy, order: WorkOrder, changes: WorkOrderChanges, by: str | None, now: int
) -> WorkOrder:
    """Fields first, then the move that a changed status asks for."""
    fields = given(changes)
    wanted = fields.pop("status", order.status)
    reasons = {"hold": fields.pop("hold_reason", None), "cancel": fields.pop("cancel_reason", None)}
    if fields:
        order = _with_fields(policy, order, fields, by, now)
    verb = None if wanted == order.status else MOVES.leading(order.status, wanted).verb
    for needs_reason, reason in reasons.items():
        if reason is not None and verb != needs_reason:
            raise Invalid(
                f"{needs_reason}Reason", f"is only for a change of status that means {needs_reason}"
            )
    return order if verb is None else _moved(policy, order, verb, reasons.get(verb), by=by, now=now)


def _with_fields(
    policy: SlaPolicy, order: WorkOrder, fields: dict[str, object], by: str | None, now: int
) -> WorkOrder:
    if order.status in FINAL:
        raise Conflict(f"A work order that is {order.status} can't be changed; comments are still possible.")
    if "checklist" in fields:
        fields["checklist"] = checklist(order.checklist, fields["checklist"], by, now)  # type: ignore[arg-type]
    changed = replace(order, **fields)
    return changed if changed.priority == order.priority else sla.with_deadlines(policy, changed, now)


def _moved(
    policy: SlaPolicy, order: WorkOrder, verb: str, reason: str | None, *, by: str | None, now: int
) -> WorkOrder:
    if verb in {"hold", "cancel"} and reason is None:
        raise Invalid(f"{verb}Reason", "is required with this status")
    moves: dict[str, Callable[[], WorkOrder]] = {
        "start": lambda: start(order, now),
        "hold": lambda: hold(order, reason or "", now),
        "resume": lambda: resume(policy, order, now),
        "complete": lambda: complete(order, by, now),
        "cancel": lambda: cancel(order, reason or ""),
        "reopen": lambda: reopen(policy, order, now),
    }
    return moves[verb]()


def checklist(
    old: list[ChecklistItem], wanted: list[NewChecklistItem], by: str | None, now: int
) -> list[ChecklistItem]:
    """Items keep who did them and when; one that is ticked now was done by the caller."""
    known = {item.id: item for item in old}
    if len({item.id for item in wanted if item.id}) != sum(1 for item in wanted if item.id):
        raise Invalid("checklist", "names an item twice")
    items = []
    for item in wanted:
        before = known.get(item.id) if item.id is not None else None
        if item.id is not None and before is None:
            raise Invalid("checklist", f"has no item {item.id}")
        if item.done and before is not None and before.done:
            items.append(replace(before, text=item.text))
        else:
            done = (by, now) if item.done else (None, None)
            items.append(ChecklistItem(before.id if before else new_id("chk"), item.text, item.done, *done))
    return items
