"""The SLA policy: targets for each priority, business hours, and a worked example."""

from collections.abc import Mapping
from datetime import date
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from steward.kit.coordination.cache_invalidation import Invalidator
from steward.kit.domain.fields import Body, Priority
from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.security.permissions import Permission
from steward.kit.web.page import PageRequest, Redirect, View, WebPage
from steward.kit.web.submit import submit
from steward.work_orders.sla import actions, queries
from steward.work_orders.sla.business_hours import (
    MAX_HOLIDAYS,
    MAX_HOURS_A_DAY,
    WEEKDAYS,
    AlwaysOpen,
    Calendar,
    WeeklyHours,
    after,
)
from steward.work_orders.sla.model import NewSlaPolicy, SlaPolicy, SlaTarget

PATH = "/app/settings/sla"
_LINE = Annotated[str, Meta(max_length=200)]


class PolicyForm(Body, frozen=True):
    """The policy as its form sends it: the hours of a day are one line, holidays one line each."""

    targets: dict[Priority, SlaTarget]
    mode: Literal["24x7", "weekly"] = "24x7"
    timezone: _LINE | None = None
    hours: dict[str, _LINE] = {}
    holidays: Annotated[str, Meta(max_length=10_000)] | None = None

    def policy(self) -> NewSlaPolicy:
        return NewSlaPolicy(targets=self.targets, calendar=self._calendar())

    def _calendar(self) -> Calendar:
        if self.mode != "weekly":
            return AlwaysOpen()
        faults: list[ErrorDetail] = []
        days = {day: _hours(day, self.hours.get(day, ""), faults) for day in WEEKDAYS}
        holidays = _days(self.holidays or "", faults)
        if faults:
            raise Invalid.of(faults)
        content = {"mode": "weekly", "timezone": self.timezone or "UTC", **days, "holidays": holidays}
        try:
            return msgspec.convert(content, WeeklyHours)
        except msgspec.ValidationError:
            raise Invalid(
                "holidays", f"at most {MAX_HOLIDAYS} holidays, and {MAX_HOURS_A_DAY} hours a day"
            ) from None


def _hours(day: str, text: str, faults: list[ErrorDetail]) -> list[dict[str, str]]:
    """`08:00-12:00, 13:00-17:00`; empty for a day off."""
    found = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        start, _, end = (piece.strip() for piece in part.partition("-"))
        try:
            msgspec.convert(
                {"mode": "weekly", "timezone": "UTC", day: [{"from": start, "to": end}]}, WeeklyHours
            )
        except msgspec.ValidationError:
            faults.append(ErrorDetail(f"hours.{day}", "write hours such as 08:00-12:00, 13:00-17:00"))
        else:
            found.append({"from": start, "to": end})
    return found


def _days(text: str, faults: list[ErrorDetail]) -> list[date]:
    days = []
    for line in text.split():
        try:
            days.append(date.fromisoformat(line))
        except ValueError:
            faults.append(ErrorDetail("holidays", f"{line} is not a day such as 2026-12-25"))
    return days


class PolicyPage(msgspec.Struct, frozen=True, kw_only=True):
    policy: SlaPolicy
    weekly: WeeklyHours | None
    timezone: str
    hours: dict[str, str]
    holidays: str
    # The deadlines of an order of each priority that is created now.
    example: Mapping[Priority, tuple[int | None, int | None]]
    priorities: tuple[Priority, ...] = tuple(reversed(Priority))


async def show(request: PageRequest[Any, Any], status: int = 200) -> View:
    policy = await queries.policy(request.db, request.tenant)
    weekly = policy.calendar if isinstance(policy.calendar, WeeklyHours) else None
    page = PolicyPage(
        policy=policy,
        weekly=weekly,
        timezone=weekly.timezone if weekly else str(request.zone),
        hours={day: _written(weekly, day) for day in WEEKDAYS},
        holidays="\n".join(day.isoformat() for day in weekly.holidays) if weekly else "",
        example={
            priority: (
                after(policy.calendar, request.now, target.response_minutes * 60),
                after(policy.calendar, request.now, target.resolution_minutes * 60),
            )
            for priority, target in policy.targets.items()
        },
    )
    return View("work_orders/sla.html", page, status)


def _written(calendar: WeeklyHours | None, day: str) -> str:
    if calendar is None:
        return "" if day in WEEKDAYS[5:] else "08:00-17:00"
    return ", ".join(f"{hours.start}-{hours.end}" for hours in getattr(calendar, day))


async def change(bus: Invalidator, request: PageRequest[PolicyForm, Any]) -> View | Redirect:
    async def put(form: PolicyForm) -> SlaPolicy:
        try:
            return await actions.put_policy(bus, request.context.on(request.tenant), form.policy())
        except Invalid as problem:
            raise Invalid.of(ErrorDetail(_field(d.field), d.message) for d in problem.details) from None

    return await submit(
        request, put, to=lambda _: Redirect(PATH), again=partial(show, request), name="change"
    )


def _field(name: str) -> str:
    """The form's name of an API field."""
    first, _, rest = name.partition(".")
    if first == "calendar":
        return f"hours.{rest}" if rest in WEEKDAYS else rest or "mode"
    return f"{name}.resolutionMinutes" if first == "targets" and rest in set(Priority) else name


def pages(bus: Invalidator) -> tuple[WebPage, ...]:
    return (
        WebPage("GET", PATH, show, Permission.WORK_ORDERS_READ),
        WebPage("POST", PATH, partial(change, bus), Permission.ORGANIZATION_WRITE, form=PolicyForm),
    )
