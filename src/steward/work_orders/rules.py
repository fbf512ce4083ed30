"""What the verbs do to a work order: pure functions from the old order to the new one, or a Problem."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from steward.kit.domain.ids import new_id
from steward.kit.domain.patch import differing, given
from steward.kit.domain.problems import Conflict, ErrorDetail, Forbidden, Invalid, all_faults
from steward.kit.domain.shared_fields import made_from
from steward.kit.events.event_types import EventType
from steward.kit.records.moves import Move, Moves
from steward.kit.security.caller import Caller, OwnOnly
from steward.kit.security.permissions import Permission
from steward.work_orders import events
from steward.work_orders.events import COMPLETED, STATUS_CHANGED, Breach
from steward.work_orders.model import (
    MAX_CHECKLIST,
    REPORTS,
    ChecklistItem,
    NewChecklistItem,
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

MOVES = Moves(
    "work order",
    [
        Move("start", (_O,), _P, STATUS_CHANGED),
        Move("hold", (_P,), _H, STATUS_CHANGED, needs_reason=True),
        Move("resume", (_H,), _P, STATUS_CHANGED),
        Move("complete", (_P,), _C, COMPLETED),
        Move("cancel", (_O, _P, _H), _X, STATUS_CHANGED, needs_reason=True),
        Move("reopen", (_C,), _P, STATUS_CHANGED),
    ],
)

FINAL = (WorkOrderStatus.COMPLETED, WorkOrderStatus.CANCELLED)


def kept_to(who: Caller) -> OwnOnly | None:
    """Whose orders somebody may do something to. Who sees the others is told why not; to who doesn't, they aren't there."""
    return who.kept_to(REPORTS, seen_by=Permission.WORK_ORDERS_READ)


def check_request(new: NewWorkOrder, who: Caller) -> None:
    """A requester speaks for themselves, and leaves to others how the work is done."""
    if kept_to(who) is None:
        return
    who.refuse_sync_fields(REPORTS, new)
    if new.reported_by is not None:
        who.acting_as(new.reported_by, "reportedBy")
    if new.assignee_id is not None or new.checklist:
        raise Forbidden(f"Assigning work and giving it a checklist need the permission {REPORTS.permission}.")


def new_work_order(policy: SlaPolicy, new: NewWorkOrder, by: str | None, now: int) -> WorkOrder:
    """Without its number, which the database counts."""
    order = made_from(
        WorkOrder,
        new,
        id=new_id("wo"),
        number=0,
        reported_by=new.reported_by or by,
        checklist=checklist([], new.checklist, by, now),
        created=now,
        updated=now,
    )
    return sla.with_deadlines(policy, order, now)


def change_events(old: WorkOrder, new: WorkOrder) -> Iterable[EventType | tuple[EventType, Breach]]:
    """A change of fields and a move are two events, even when one request asked for both."""
    yield from events.change_events(old, new)
    yield from MOVES.change_events(old, new)


def check_deletable(order: WorkOrder, *, untouched: bool) -> None:
    if order.status != WorkOrderStatus.OPEN or not untouched:
        raise Conflict(
            f"A work order that is {order.status} and has a history can't be deleted; cancel it instead."
        )


def moved(
    policy: SlaPolicy, order: WorkOrder, verb: str, reason: str | None, *, by: str | None, now: int
) -> WorkOrder:
    """What a move does beside changing the status, which the order has already."""
    then: dict[str, Callable[[], WorkOrder]] = {
        "start": lambda: started(order, now),
        "hold": lambda: held(order, reason or "", now),
        "resume": lambda: resumed(policy, order, now),
        "complete": lambda: completed(order, by, now),
        "cancel": lambda: cancelled(order, reason or ""),
        "reopen": lambda: reopened(policy, order, now),
    }
    return then[verb]()


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


def changed(
    policy: SlaPolicy,
    order: WorkOrder,
    changes: WorkOrderChanges,
    by: str | None,
    completed_by: str | None,
    now: int,
) -> WorkOrder:
    """Fields first, then the move that a changed status asks for."""
    fields = given(changes)
    names_completer = fields.pop("completed_by", None) is not None
    wanted = fields.pop("status", order.status)
    reasons = {row.verb: fields.pop(f"{row.verb}_reason", None) for row in MOVES.rows if row.needs_reason}
    if fields:
        order = _with_fields(policy, order, fields, by, now)
    verb = None if wanted == order.status else MOVES.between(order.status, wanted).verb
    with all_faults() as faults:
        faults.check(_check_reasons, reasons, verb)
        if names_completer and verb != "complete":
            faults.add("completedBy", "is only for a change of status that means complete")
    if verb is None:
        return order
    return moved(policy, MOVES.apply(order, verb), verb, reasons.get(verb), by=completed_by, now=now)


def replacement(old: WorkOrder, new: NewWorkOrder) -> WorkOrderChanges:
    """Items of the checklist are told by their text where they bring no id, and what is done stays done."""
    known = {item.id: item for item in old.checklist}
    items = []
    for item in new.checklist:
        same = known.get(item.id or "") or next(
            (one for one in known.values() if one.text == item.text), None
        )
        if same is None:
            items.append(item)
        else:
            items.append(replace(item, id=same.id, done=item.done or same.done))
            known.pop(same.id)
    changes = differing(WorkOrderChanges, old, new)
    as_they_are = [NewChecklistItem(text=item.text, done=item.done, id=item.id) for item in old.checklist]
    return replace(changes, checklist=UNSET if items == as_they_are else items)


def _check_reasons(reasons: Mapping[str, str | None], wanted: str | None) -> None:
    """`reasons` are those that were given, by the verb that takes one."""
    wrong = [
        ErrorDetail(f"{verb}Reason", "is required with this status")
        if verb == wanted
        else ErrorDetail(f"{verb}Reason", f"is only for a change of status that means {verb}")
        for verb, reason in reasons.items()
        if (reason is None) == (verb == wanted)
    ]
    if wrong:
        raise Invalid.of(wrong)


def _with_fields(
    policy: SlaPolicy, order: WorkOrder, fields: dict[str, object], by: str | None, now: int
) -> WorkOrder:
    if order.status in FINAL:
        raise Conflict(f"A work order that is {order.status} can't be changed; comments are still possible.")
    if "checklist" in fields:
        fields["checklist"] = checklist(order.checklist, fields["checklist"], by, now)  # type: ignore[arg-type]
    new = replace(order, **fields)
    return new if new.priority == order.priority else sla.with_deadlines(policy, new, now)


def ticked(policy: SlaPolicy, order: WorkOrder, item: TickedItem, by: str | None, now: int) -> WorkOrder:
    wanted = [
        NewChecklistItem(text=old.text, done=item.done if old.id == item.id else old.done, id=old.id)
        for old in order.checklist
    ]
    if item.id is None:
        if item.text is None:
            raise Invalid("text", "is required for a new item")
        wanted.append(NewChecklistItem(text=item.text, done=item.done))
    elif all(old.id != item.id for old in order.checklist):
        raise Invalid("id", f"the checklist has no item {item.id}")
    if len(wanted) > MAX_CHECKLIST:
        raise Invalid("text", f"a checklist has at most {MAX_CHECKLIST} items")
    return _with_fields(policy, order, {"checklist": wanted}, by, now)


def checklist(
    old: list[ChecklistItem], wanted: list[NewChecklistItem], by: str | None, now: int
) -> list[ChecklistItem]:
    """Items keep who did them and when; one that is ticked now was done by whom it names, or the caller."""
    known = {item.id: item for item in old}
    _check_items(known, wanted)
    items = []
    for item in wanted:
        before = known.get(item.id or "")
        if item.done and before is not None and before.done:
            items.append(replace(before, text=item.text))
        else:
            done = (item.done_by or by, now) if item.done else (None, None)
            items.append(ChecklistItem(before.id if before else new_id("chk"), item.text, item.done, *done))
    return items


def _check_items(known: Mapping[str, ChecklistItem], wanted: list[NewChecklistItem]) -> None:
    seen: set[str] = set()
    with all_faults() as faults:
        for index, item in enumerate(wanted):
            if item.id is not None and item.id not in known:
                faults.add(f"checklist[{index}].id", "names no item of this checklist")
            elif item.id is not None and item.id in seen:
                faults.add(f"checklist[{index}].id", "names an item twice")
            if item.done_by is not None and not item.done:
                faults.add(f"checklist[{index}].doneBy", "is only for an item that is done")
            seen.add(item.id or "")
