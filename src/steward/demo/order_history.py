"""Takes planned orders through the moves up to the present, by the rules of work orders. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from steward.demo.orders import OrderStep, PlannedOrder
from steward.demo.past import DAY, IdAt, dated
from steward.kit.events.actor import SYSTEM, user_actor
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.security.caller import TenantId
from steward.work_orders.comments.model import Comment, CommentVisibility, NewComment
from steward.work_orders.comments.rules import counted, new_comment
from steward.work_orders.events import CREATED, Breach
from steward.work_orders.model import NewChecklistItem, WorkOrder, WorkOrderChanges
from steward.work_orders.rules import MOVES, OrderMoveDetails, change_events, changed, new_work_order
from steward.work_orders.sla.model import SlaPolicy
from steward.work_orders.sla.rules import with_breaches

# As long as events are kept, with a margin.
_EVENT_SECONDS = 28 * DAY
# How long after a deadline the worker notes that it was missed.
_NOTICE_SECONDS = 8


class OrderHistory(msgspec.Struct):
    """Orders by number, what was said about them, and what is told of the last weeks, in the order of time."""

    orders: list[WorkOrder]
    comments: list[Comment]
    events: list[Event]
    # Which order an alert has opened.
    by_alert: dict[str, str]


def order_history(
    sla: SlaPolicy, planned: Iterable[PlannedOrder], *, tenant: TenantId, id_at: IdAt, now: int
) -> OrderHistory:
    history = OrderHistory([], [], [], {})
    told: list[_Told] = []
    for number, plan in enumerate(sorted(planned, key=lambda plan: plan.created), start=1):
        telling = _Telling(sla, id_at, now)
        order = telling.through(plan, number)
        history.orders.append(order)
        history.comments += telling.comments
        told += telling.told
        if plan.alert is not None:
            history.by_alert[plan.alert.id] = order.id
    told.sort(key=lambda one: one.at)
    history.events = [_event(one, tenant, id_at) for one in told]
    return history


def _event(told: "_Told", tenant: TenantId, id_at: IdAt) -> Event:
    """With an identifier of its own time, by which events are listed and dropped."""
    event = build_event(told.kind, told.record, tenant=tenant, now=told.at, old=told.old)
    id = id_at("evt", told.at)
    body = msgspec.json.encode({**msgspec.json.decode(event.body), "id": id})
    return replace(event, id=id, body=body, actor=SYSTEM if told.by is None else user_actor(told.by))


class _Told(NamedTuple):
    at: int
    kind: EventType
    record: WorkOrder | Breach
    old: WorkOrder | None
    # None for what the service noticed by itself.
    by: str | None


class _Telling:
    def __init__(self, sla: SlaPolicy, id_at: IdAt, now: int) -> None:
        self._sla, self._id_at, self._now = sla, id_at, now
        self.comments: list[Comment] = []
        self.told: list[_Told] = []

    def through(self, plan: PlannedOrder, number: int) -> WorkOrder:
        made = new_work_order(self._sla, plan.new, None, plan.created)
        order = dated(replace(made, number=number), "wo", self._id_at, plan.created)
        if self._recent(plan.created):
            self.told.append(_Told(plan.created, CREATED, order, None, order.reported_by))
        for step in plan.steps:
            if step.at > self._now:
                break
            order = self._noticed(order, step.at)
            if step.verb == "comment":
                said = new_comment(
                    order.id, NewComment(text=step.text or ""), CommentVisibility.REPORTER, step.by, step.at
                )
                self.comments.append(dated(said, "cmt", self._id_at, step.at))
                order = counted(order, said)
            else:
                order = self._changed(order, self._after(order, step), step.at, step.by)
        return self._noticed(order, self._now)

    def _after(self, order: WorkOrder, step: OrderStep) -> WorkOrder:
        if step.verb == "assign":
            changes = WorkOrderChanges(assignee_id=step.by)
        elif step.verb == "tick":
            ticked = [NewChecklistItem(item.text, done=True, id=item.id) for item in order.checklist]
            changes = WorkOrderChanges(checklist=ticked)
        else:
            details = OrderMoveDetails(step.at, step.by, step.text, policy=self._sla)
            return MOVES.apply(order, step.verb, details)
        return changed(order, changes, OrderMoveDetails(step.at, policy=self._sla), step.by)

    def _noticed(self, order: WorkOrder, until: int) -> WorkOrder:
        """Notes the deadlines that passed before this moment, as the worker would have."""
        for deadline in sorted(filter(None, (order.sla_response_deadline, order.sla_resolution_deadline))):
            if deadline <= until:
                at = min(deadline + _NOTICE_SECONDS, until)
                order = self._changed(order, with_breaches(order, at), at, None)
        return order

    def _changed(self, old: WorkOrder, new: WorkOrder, at: int, by: str | None) -> WorkOrder:
        if new == old:
            return old
        new = replace(new, updated=max(old.updated, at))
        if self._recent(at):
            for event in change_events(old, new):
                kind, record = event if isinstance(event, tuple) else (event, new)
                self.told.append(_Told(at, kind, record, old, by))
        return new

    def _recent(self, at: int) -> bool:
        return at > self._now - _EVENT_SECONDS
