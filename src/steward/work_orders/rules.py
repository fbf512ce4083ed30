"""What the verbs do to a work order: pure functions from the old order to the new one, or a Problem."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from steward.kit.domain.patch import differing, given
from steward.kit.domain.problems import Conflict, ErrorDetail, Forbidden, all_faults, refuse_faults
from steward.kit.domain.shared_fields import new_record
from steward.kit.events.event_types import EventType
from steward.kit.records.moves import Move, MoveDetails, Moves
from steward.kit.security.caller import Caller, OwnOnly
from steward.kit.security.permissions import Permission
from steward.work_orders import events
from steward.work_orders.checklist import checklist, replaced, with_tick
from steward.work_orders.events import COMPLETED, STATUS_CHANGED, Breach
from steward.work_orders.model import (
    REPORTS,
    NewWorkOrder,
    TickedItem,
    WorkOrder,
    WorkOrderChanges,
    WorkOrderStatus,
)
from steward.work_orders.sla import rules as sla
from steward.work_orders.sla.model import SlaPolicy

_O, _P, _H, _C, _X = (
    WorkOrderStatus.OPEN,
    WorkOrderStatus.IN_PROGRESS,
    WorkOrderStatus.ON_HOLD,
    WorkOrderStatus.COMPLETED,
    WorkOrderStatus.CANCELLED,
)


class OrderMoveDetails(MoveDetails, frozen=True, kw_only=True):
    policy: SlaPolicy


def started(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    """The first start is the response."""
    return replace(order, responded_at=order.responded_at or details.now)


def held(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    return sla.paused(replace(order, hold_reason=details.reason), details.now)


def resumed(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    return sla.resumed(details.policy, replace(order, hold_reason=None), details.now)


def completed(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    """The resolution clock stops here, in case the order is reopened."""
    return sla.paused(order, details.now)


def cancelled(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    return replace(order, cancel_reason=details.reason, sla_paused_since=None)


def reopened(order: WorkOrder, details: OrderMoveDetails) -> WorkOrder:
    """The time since the completion doesn't count."""
    return sla.resumed(details.policy, replace(order, completed_at=None, completed_by=None), details.now)


MOVES: Moves[WorkOrder, OrderMoveDetails] = Moves(
    "work order",
    [
        Move("start", (_O,), _P, STATUS_CHANGED, then=started),
        Move("hold", (_P,), _H, STATUS_CHANGED, needs_reason=True, then=held),
        Move("resume", (_H,), _P, STATUS_CHANGED, then=resumed),
        Move("complete", (_P,), _C, COMPLETED, stamp="completed", then=completed),
        Move("cancel", (_O, _P, _H), _X, STATUS_CHANGED, needs_reason=True, then=cancelled),
        Move("reopen", (_C,), _P, STATUS_CHANGED, then=reopened),
    ],
)

FINAL = (WorkOrderStatus.COMPLETED, WorkOrderStatus.CANCELLED)


def own_records_only(who: Caller) -> OwnOnly | None:
    """Callers who may only report act on orders of their own. Other orders answer 403 if the caller may read them, else 404."""
    return who.own_records_only(REPORTS, visible_with=Permission.WORK_ORDERS_READ)


def check_request(new: NewWorkOrder, who: Caller) -> None:
    """A requester reports in their own name, and can't plan the work."""
    if own_records_only(who) is None:
        return
    who.refuse_sync_fields(REPORTS, new)
    if new.reported_by is not None:
        who.acting_as(new.reported_by, "reportedBy")
    if new.assignee_id is not None or new.checklist:
        raise Forbidden(f"Assigning work and giving it a checklist need the permission {REPORTS.permission}.")


def new_work_order(policy: SlaPolicy, new: NewWorkOrder, by: str | None, now: int) -> WorkOrder:
    """Without its number, which the database counts."""
    order = new_record(
        WorkOrder,
        "wo",
        new,
        now,
        number=0,
        reported_by=new.reported_by or by,
        checklist=checklist([], new.checklist, by, now),
    )
    return sla.with_deadlines(policy, order, now)


def change_events(old: WorkOrder, new: WorkOrder) -> Iterable[EventType | tuple[EventType, Breach]]:
    """A change of fields and a move are two events, even if one request asked for both."""
    yield from events.change_events(old, new)
    yield from MOVES.change_events(old, new)


def check_deletable(order: WorkOrder, *, untouched: bool) -> None:
    if order.status != WorkOrderStatus.OPEN or not untouched:
        raise Conflict(
            f"A work order that is {order.status} and has a history can't be deleted; cancel it instead."
        )


def changed(
    order: WorkOrder, changes: WorkOrderChanges, details: OrderMoveDetails, by: str | None
) -> WorkOrder:
    """Fields first, then the move that a changed status asks for, with its `details`."""
    fields = given(changes)
    names_completer = fields.pop("completed_by", None) is not None
    wanted = fields.pop("status", order.status)
    reasons = {row.verb: fields.pop(f"{row.verb}_reason", None) for row in MOVES.rows if row.needs_reason}
    if fields:
        order = _with_fields(details.policy, order, fields, by, details.now)
    verb = None if wanted == order.status else MOVES.between(order.status, wanted).verb
    with all_faults() as faults:
        faults.check(_check_reasons, reasons, verb)
        if names_completer and verb != "complete":
            faults.add("completedBy", "is only for a change of status that means complete")
    if verb is None:
        return order
    return MOVES.apply(order, verb, replace(details, reason=reasons.get(verb)))


def replacement(old: WorkOrder, new: NewWorkOrder) -> WorkOrderChanges:
    return replace(differing(WorkOrderChanges, old, new), checklist=replaced(old.checklist, new.checklist))


def _check_reasons(reasons: Mapping[str, str | None], wanted: str | None) -> None:
    """`reasons` are those that were given, by the verb that takes one."""
    refuse_faults(
        ErrorDetail(f"{verb}Reason", "is required with this status")
        if verb == wanted
        else ErrorDetail(f"{verb}Reason", f"is only for a change of status that means {verb}")
        for verb, reason in reasons.items()
        if (reason is None) == (verb == wanted)
    )


def _with_fields(
    policy: SlaPolicy, order: WorkOrder, fields: dict[str, object], by: str | None, now: int
) -> WorkOrder:
    require_unfinished(order)
    if "checklist" in fields:
        fields["checklist"] = checklist(order.checklist, fields["checklist"], by, now)  # type: ignore[arg-type]
    new = replace(order, **fields)
    return new if new.priority == order.priority else sla.with_deadlines(policy, new, now)


def require_unfinished(order: WorkOrder) -> None:
    if order.status in FINAL:
        raise Conflict(f"A work order that is {order.status} can't be changed; comments are still possible.")


def ticked(order: WorkOrder, item: TickedItem, by: str | None, now: int) -> WorkOrder:
    wanted = with_tick(order.checklist, item)
    require_unfinished(order)
    return replace(order, checklist=checklist(order.checklist, wanted, by, now))
