"""Deadlines of a work order. Pure; the clock is an argument.

The response clock runs from creation to the first start. The resolution clock runs from creation to
completion, and is paused while the order is on hold and between a completion and a reopening. Pauses are
counted in working time, so that a pause over a weekend adds nothing where weekends don't count.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from steward.kit.domain.fields import Priority
from steward.kit.domain.problems import ErrorDetail, refuse_faults
from steward.locations.rules import time_zones
from steward.work_orders.model import WorkOrder, WorkOrderStatus
from steward.work_orders.sla.business_hours import WEEKDAYS, WeeklyHours, after, between
from steward.work_orders.sla.model import MAX_YEARS, NewSlaPolicy, SlaClock, SlaPolicy, SlaTarget

_MAX_SECONDS = MAX_YEARS * 366 * 86_400


def new_policy(new: NewSlaPolicy, now: int) -> SlaPolicy:
    check_policy(new, now)
    return SlaPolicy(new.targets, new.calendar, now)


def check_policy(new: NewSlaPolicy, now: int) -> None:
    """422 with every fault of a policy. A valid policy gives a new work order its deadlines."""
    details = [ErrorDetail(f"targets.{p}", "is required") for p in Priority if p not in new.targets]
    details += [
        ErrorDetail(f"targets.{priority}", "the time to resolve is shorter than the time to respond")
        for priority, target in new.targets.items()
        if target.resolution_minutes < target.response_minutes
    ]
    if isinstance(new.calendar, WeeklyHours):
        details += _check_hours(new.calendar) or _check_reach(new.calendar, new.targets, now)
    refuse_faults(details)


def _check_hours(calendar: WeeklyHours) -> list[ErrorDetail]:
    details = []
    if calendar.timezone not in time_zones():
        details.append(ErrorDetail("calendar.timezone", "is not a time zone, such as Europe/Berlin"))
    if not any(getattr(calendar, day) for day in WEEKDAYS):
        details.append(ErrorDetail("calendar", "is never open"))
    for day in WEEKDAYS:
        ends = "00:00"
        for hours in sorted(getattr(calendar, day), key=lambda hours: hours.start):
            if hours.start >= hours.end or hours.start < ends:
                details.append(
                    ErrorDetail(f"calendar.{day}", "has hours that overlap or end before they begin")
                )
                break
            ends = hours.end
    return details


def _check_reach(calendar: WeeklyHours, targets: Mapping[Priority, SlaTarget], now: int) -> list[ErrorDetail]:
    """Few hours, or holidays on all of them, can put a target off for centuries."""
    details = []
    for priority, target in targets.items():
        minutes = {"responseMinutes": target.response_minutes, "resolutionMinutes": target.resolution_minutes}
        for field, value in minutes.items():
            deadline = after(calendar, now, value * 60)
            if deadline is None or deadline > now + _MAX_SECONDS:
                message = f"is not reached within {MAX_YEARS} years in this calendar"
                details.append(ErrorDetail(f"targets.{priority}.{field}", message))
    return details


def with_deadlines(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    """Counts from creation, keeps the pauses, and lets a deadline that moved later be missed again.

    There is none if the policy predates this check, or its last hours have become holidays.
    """
    target = policy.targets[order.priority]
    response = after(policy.calendar, order.created, target.response_minutes * 60)
    resolution = after(
        policy.calendar, order.created, target.resolution_minutes * 60 + order.sla_paused_seconds
    )
    return replace(
        order,
        sla_response_deadline=response,
        sla_resolution_deadline=resolution,
        sla_response_breached_at=None if _ahead(response, now) else order.sla_response_breached_at,
        sla_resolution_breached_at=None if _ahead(resolution, now) else order.sla_resolution_breached_at,
    )


def _ahead(deadline: int | None, now: int) -> bool:
    return deadline is None or deadline > now


def paused(order: WorkOrder, now: int) -> WorkOrder:
    """The resolution clock is paused from here."""
    return replace(order, sla_paused_since=now)


def resumed(policy: SlaPolicy, order: WorkOrder, now: int) -> WorkOrder:
    """The resolution clock runs again; its deadline moves by the paused working time."""
    if order.sla_paused_since is None:
        return order
    stood_still = between(policy.calendar, order.sla_paused_since, now)
    running = replace(order, sla_paused_since=None, sla_paused_seconds=order.sla_paused_seconds + stood_still)
    return with_deadlines(policy, running, now)


def clocks(order: WorkOrder, now: int) -> list[SlaClock]:
    """The state of an order's clocks."""
    over = order.status == WorkOrderStatus.CANCELLED
    response = (order.sla_response_deadline, order.responded_at, order.sla_response_breached_at, None)
    resolution = (
        order.sla_resolution_deadline,
        order.completed_at,
        order.sla_resolution_breached_at,
        order.sla_paused_since,
    )
    found = []
    for name, (deadline, ended, breached_at, paused_since) in (
        ("Response", response),
        ("Resolution", resolution),
    ):
        if deadline is None or (over and ended is None):
            continue
        at = ended or paused_since or now
        used = 100 * (at - order.created) // max(1, deadline - order.created)
        found.append(
            SlaClock(
                name=name,
                started=order.created,
                deadline=deadline,
                ended=ended,
                breached=breached_at is not None or (ended is None and not paused_since and deadline <= now),
                paused=paused_since is not None and ended is None,
                percent=max(0, min(100, used)),
            )
        )
    return found


def with_breaches(order: WorkOrder, now: int) -> WorkOrder:
    """Marks the deadlines that have passed by now, each once. None passes while its clock is paused."""
    responding = order.status == WorkOrderStatus.OPEN and order.sla_response_breached_at is None
    if responding and not _ahead(order.sla_response_deadline, now):
        order = replace(order, sla_response_breached_at=now)
    running = order.status in {WorkOrderStatus.OPEN, WorkOrderStatus.IN_PROGRESS}
    if (
        running
        and order.sla_resolution_breached_at is None
        and not _ahead(order.sla_resolution_deadline, now)
    ):
        order = replace(order, sla_resolution_breached_at=now)
    return order
