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
    NewWorkOrder,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderStatus,
)
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.rules import SlaPolicy

FINAL = (WorkOrderStatus.COMPLETED, WorkOrderStatus.CANCELLED)


def new_order(policy: SlaPolicy, new: NewWorkOrder, by: str | None, now: int) -> WorkOrder:
    """Without its number, which the database counts."""
    order = WorkOrder(
        id=new_id("wo"),
        number=0,
        title=new.title,
        description=new.description,
        priority=new.priority,
        location_id=new.location_id,
        asset_id=new.asset_id,
        assignee_id=new.assignee_id,
        reported_by=new.reported_by or by,
        checklist=checklist([], new.checklist, by, now),
        created=now,
        updated=now,
    )
    return sla.with_deadlines(policy, order, now)


# What a move does beside changing the status, which the order has already.


def started(order: WorkOrder, now: int) -> WorkOrder:
    """This is the response, the first time."""
    return replace(order, responded_at=order.responded_at or now)


def held(order: WorkOrder, reason: str, now: int) -> WorkOrder:
    return sla.paused(replace(order, hold_reason=reason), now)


def resumed(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    return sla.resumed(policy, replace(order, hold_reason=None), now)


def completed(order: WorkOrder, by: str | None, now: int) -> WorkOrder:
    """The resolution clock stands still from here, in case the order is reopened."""
    return sla.paused(replace(order, completed_at=now, completed_by=by), now)


def cancelled(order: WorkOrder, reason: str) -> WorkOrder:
    return replace(order, cancel_reason=reason, sla_paused_since=None)


def reopened(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    """The time since the completion does not count."""
    return sla.resumed(policy, replace(order, completed_at=None, completed_by=None), now)


def change(
    policy: SlaPolicy, order: WorkOrder, changes: WorkOrderChanges, by: str | None, now: int
) -> WorkOrder:
    """Fields first, then the move that a changed status asks for."""
    fields = given(changes)
    wanted = fields.pop("status", order.status)
    reasons = {"hold": fields.pop("hold_reason", None), "cancel": fields.pop("cancel_reason", None)}
    if fields:
        order = _with_fields(policy, order, fields, by, now)
    verb = None if wanted == order.status else MOVES.between(order.status, wanted).verb
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
    moved = MOVES.apply(order, verb)
    then: dict[str, Callable[[], WorkOrder]] = {
        "start": lambda: started(moved, now),
        "hold": lambda: held(moved, reason or "", now),
        "resume": lambda: resumed(policy, moved, now),
        "complete": lambda: completed(moved, by, now),
        "cancel": lambda: cancelled(moved, reason or ""),
        "reopen": lambda: reopened(policy, moved, now),
    }
    return then[verb]()


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
