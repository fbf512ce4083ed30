"""The records, comments and events of planned orders up to the present. Pure.

An order is the list of its versions, each written as the row that it was; events tell the changes of the last weeks.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from steward.demo.orders import PlannedOrder
from steward.demo.past import DAY, IdAt, dated, moved
from steward.kit.events.actor import SYSTEM, user_actor
from steward.kit.events.event_types import Event, EventType, build_event
from steward.kit.security.caller import TenantId
from steward.work_orders.comments.model import Comment, CommentVisibility
from steward.work_orders.events import CREATED, Breach
from steward.work_orders.model import WorkOrder
from steward.work_orders.rules import MOVES, OrderMoveDetails, change_events, new_work_order
from steward.work_orders.sla.model import SlaPolicy
from steward.work_orders.sla.rules import with_breaches

# As long as events are kept, with a margin.
_EVENT_SECONDS = 28 * DAY
# How long after a deadline the worker notes that it was missed.
_NOTICE_SECONDS = 8


class OrderHistory(msgspec.Struct):
    """Orders by number, their comments, and the events of the last weeks, in the order of time."""

    orders: list[WorkOrder]
    comments: list[Comment]
    events: list[Event]
    # The order that an alert opened.
    by_alert: dict[str, str]


def order_history(
    sla: SlaPolicy, planned: Iterable[PlannedOrder], *, tenant: TenantId, id_at: IdAt, now: int
) -> OrderHistory:
    history = OrderHistory([], [], [], {})
    for number, plan in enumerate(sorted(planned, key=lambda plan: plan.created), start=1):
        versions = _versions(sla, plan, number, id_at, now)
        comments = [
            Comment(id_at("cmt", at), versions[0].id, text, CommentVisibility.REPORTER, plan.technician, at)
            for at, text in plan.work.comments
            if at <= now
        ]
        count = len(comments)
        history.orders.append(replace(versions[-1], comment_count=count, reporter_comment_count=count))
        history.comments += comments
        history.events += _events(plan, versions, tenant, id_at, now - _EVENT_SECONDS)
        if plan.alert is not None:
            history.by_alert[plan.alert.id] = versions[0].id
    history.events.sort(key=lambda event: event.created)
    return history


def _versions(sla: SlaPolicy, plan: PlannedOrder, number: int, id_at: IdAt, now: int) -> list[WorkOrder]:
    made = replace(new_work_order(sla, plan.new, None, plan.created), number=number)
    versions = [dated(made, "wo", id_at, plan.created)]
    for verb, at in plan.work.moves:
        if at <= now:
            versions.append(_after(versions[-1], verb, at, plan, sla))
    last = versions[-1]
    if last.completed_at is None and last.cancel_reason is None:
        versions[-1] = with_breaches(last, now)
    return versions


def _after(order: WorkOrder, verb: str, at: int, plan: PlannedOrder, sla: SlaPolicy) -> WorkOrder:
    """The move with what people and the worker did beside it."""
    technician = plan.technician
    order = moved(MOVES, order, verb, OrderMoveDetails(at, technician, plan.work.reason, policy=sla))
    if verb == "start":
        missed = _missed(order.sla_response_deadline, at)
        return replace(order, assignee_id=technician, sla_response_breached_at=missed)
    if verb == "complete":
        done = [replace(item, done=True, done_by=technician, done_at=at) for item in order.checklist]
        missed = _missed(order.sla_resolution_deadline, at)
        return replace(order, checklist=done, sla_resolution_breached_at=missed)
    return order


def _missed(deadline: int | None, ended: int) -> int | None:
    if deadline is None or ended < deadline:
        return None
    return min(deadline + _NOTICE_SECONDS, ended)


def _events(
    plan: PlannedOrder, versions: list[WorkOrder], tenant: TenantId, id_at: IdAt, since: int
) -> Iterator[Event]:
    def event(kind: EventType, record: WorkOrder | Breach, old: WorkOrder | None, at: int) -> Event:
        """With an identifier of its own time, by which events are listed and dropped."""
        by = plan.new.reported_by if old is None else plan.technician
        made = build_event(kind, record, tenant=tenant, now=at, old=old)
        id = id_at("evt", at)
        body = msgspec.json.encode({**msgspec.json.decode(made.body), "id": id})
        return replace(made, id=id, body=body, actor=SYSTEM if by is None else user_actor(by))

    if plan.created > since:
        yield event(CREATED, versions[0], None, plan.created)
    for old, new in pairwise(versions):
        for found in change_events(old, new) if new.updated > since else ():
            kind, record = found if isinstance(found, tuple) else (found, new)
            yield event(kind, record, old, new.updated)
