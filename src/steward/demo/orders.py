"""A year of work orders: what was reported and planned, who did it, and how long it took. Pure.

Each order is taken through the moves by the slice's own rules, at the times at which they were made: so deadlines, pauses
and misses are what they would have been.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.model import AlertWorkOrder
from steward.assets.model import Asset
from steward.demo.order_texts import (
    CANCEL_REASONS,
    COMMENTS,
    DONE_COMMENTS,
    HOLD_REASONS,
    PLANNED,
    REPORTS,
    PlannedWork,
    ReportedProblem,
)
from steward.demo.past import DAY, HOUR, MINUTE, day_start, drawn, local_date
from steward.kit.domain.fields import Priority
from steward.locations.model import Location
from steward.work_orders.model import NewChecklistItem, NewWorkOrder
from steward.work_orders.sla.business_hours import OpeningHours, WeeklyHours, after
from steward.work_orders.sla.model import NewSlaPolicy, SlaPolicy, SlaTarget

DAYS = 365
# How many problems are reported, from Monday to Sunday.
_REPORTS_A_DAY = (4.6, 3.4, 3.2, 3.2, 2.6, 0.5, 0.3)


class OrderStep(NamedTuple):
    """What somebody did to an order: a move, `assign`, `tick` (all items of the list) or `comment`."""

    at: int
    verb: str
    by: str
    text: str | None = None


class PlannedOrder(msgspec.Struct, frozen=True):
    """An order before anything has happened to it, and all that is going to."""

    created: int
    new: NewWorkOrder
    steps: list[OrderStep]
    alert: Alert | None = None


class Crew(msgspec.Struct, frozen=True):
    """Who reports and who repairs, by the identifiers of users; technicians in the order of the trades."""

    manager: str
    technicians: Sequence[str]
    reporters: Sequence[str]


def policy(now: int) -> NewSlaPolicy:
    """Weekdays from 7 to 18 h, but not on holidays."""
    day = (OpeningHours("07:00", "18:00"),)
    this_year = local_date(now).year
    holidays = tuple(
        dt.date(year, month, number)
        for year in range(this_year - 2, this_year + 3)
        for month, number in ((1, 1), (5, 1), (10, 3), (12, 25), (12, 26))
    )
    calendar = WeeklyHours("Europe/Berlin", day, day, day, day, day, (), (), holidays)
    targets = {
        Priority.CRITICAL: SlaTarget(30, 4 * 60),
        Priority.HIGH: SlaTarget(2 * 60, 11 * 60),
        Priority.MEDIUM: SlaTarget(8 * 60, 3 * 660),
        Priority.LOW: SlaTarget(2 * 660, 8 * 660),
    }
    return NewSlaPolicy(targets=targets, calendar=calendar)


class OrderPlan:
    """What was reported and planned in a year up to `now`."""

    def __init__(
        self,
        sla: SlaPolicy,
        crew: Crew,
        rooms: Sequence[Location],
        equipment: Sequence[tuple[str, Asset]],
        now: int,
    ) -> None:
        """`equipment` comes with the name of its kind."""
        self._sla, self._crew, self._rooms, self._now = sla, crew, rooms, now
        self._equipment = equipment
        self._reports = [report for report in REPORTS if report.kind is None or self._of_kind(report.kind)]

    def reported(self) -> Iterator[PlannedOrder]:
        today = local_date(self._now)
        for ago in range(DAYS, -1, -1):
            day = today - dt.timedelta(days=ago)
            random = drawn("orders", day.isoformat())
            expected = _REPORTS_A_DAY[day.weekday()]
            for _ in range(int(expected + random.random())):
                at = day_start(day) + int(random.triangular(6.5, 18.5, 9.5) * HOUR)
                if at < self._now - HOUR:
                    yield self._report(random.choice(self._reports), at, random)

    def planned(self) -> Iterator[PlannedOrder]:
        today = local_date(self._now)
        monday = today - dt.timedelta(days=today.weekday())
        for weeks_ago in range(DAYS // 7, -1, -1):
            day = monday - dt.timedelta(weeks=weeks_ago)
            at, week = day_start(day) + 7 * HOUR, day.toordinal() // 7
            if at > self._now - HOUR:
                continue
            for work in PLANNED:
                for index, asset in enumerate(self._of_kind(work.kind)):
                    if (week + index) % work.every_weeks == 0:
                        yield self._work(work, asset, at + index * MINUTE)

    def of_alert(self, alert: Alert, asset: Asset, wish: AlertWorkOrder, raised_at: int) -> PlannedOrder:
        """As the worker opens them."""
        new = NewWorkOrder(
            title=wish.title,
            description=f"Opened for alert {alert.id} of {asset.name}.",
            priority=wish.priority,
            asset_id=asset.id,
            location_id=asset.location_id,
        )
        random = drawn("alert", raised_at)
        technician = random.choice(self._crew.technicians[1:])
        return PlannedOrder(raised_at, new, self._steps(new.priority, technician, raised_at, random), alert)

    def _of_kind(self, kind: str) -> list[Asset]:
        return [asset for name, asset in self._equipment if name == kind]

    def _report(self, report: ReportedProblem, at: int, random: Random) -> PlannedOrder:
        asset = random.choice(self._of_kind(report.kind)) if report.kind else None
        room = random.choice(self._rooms)
        technician = self._crew.technicians[report.trade]
        new = NewWorkOrder(
            title=report.title.format(place=room.name, asset=asset.name if asset else ""),
            description=report.description,
            priority=report.priority,
            location_id=asset.location_id if asset else room.id,
            asset_id=asset.id if asset else None,
            assignee_id=technician if random.random() < 0.5 else None,
            reported_by=random.choice(self._crew.reporters),
        )
        return PlannedOrder(at, new, self._steps(new.priority, technician, at, random))

    def _work(self, work: PlannedWork, asset: Asset, at: int) -> PlannedOrder:
        technician = self._crew.technicians[work.trade]
        new = NewWorkOrder(
            title=work.title.format(asset=asset.name),
            priority=Priority.LOW,
            location_id=asset.location_id,
            asset_id=asset.id,
            assignee_id=technician,
            reported_by=self._crew.manager,
            checklist=[NewChecklistItem(text=text) for text in work.checklist],
        )
        random = drawn("planned", at, asset.name)
        return PlannedOrder(at, new, self._done(new.priority, technician, at, random))

    def _steps(self, priority: Priority, technician: str, created: int, random: Random) -> list[OrderStep]:
        if random.random() < 0.04:
            at = self._after(created, random.uniform(0.5, 6) * HOUR)
            return [OrderStep(at, "cancel", self._crew.manager, random.choice(CANCEL_REASONS))]
        return self._done(priority, technician, created, random)

    def _done(self, priority: Priority, technician: str, created: int, random: Random) -> list[OrderStep]:
        """In working time, nearly always within the targets; a year ago the team was slower than today."""
        target = self._sla.targets[priority]
        slower = 0.5 * (self._now - created) / (DAYS * DAY)
        respond = target.response_minutes * MINUTE * random.lognormvariate(-1.25 + slower, 0.65)
        work = target.resolution_minutes * MINUTE * random.lognormvariate(-1.3 + slower, 0.7)
        start = self._after(created, respond)
        steps = [OrderStep(start, "assign", technician), OrderStep(start + 1, "start", technician)]
        end = self._after(start, max(work, 10 * MINUTE))
        if random.random() < 0.15:
            held = self._after(start, work * 0.4 + MINUTE)
            back = self._after(held, random.uniform(0.5, 4) * 11 * HOUR)
            steps.append(OrderStep(held, "hold", technician, random.choice(HOLD_REASONS)))
            steps.append(OrderStep(back, "resume", technician))
            end = self._after(back, work * 0.6 + MINUTE)
        if random.random() < 0.35:
            said = random.randrange(start + 2, max(start + 3, end))
            steps.append(OrderStep(said, "comment", technician, random.choice(COMMENTS)))
        steps += self._ending(technician, end, random)
        return sorted(steps, key=lambda step: step.at)

    def _ending(self, technician: str, end: int, random: Random) -> Iterator[OrderStep]:
        yield OrderStep(end, "tick", technician)
        yield OrderStep(end + 1, "complete", technician)
        if random.random() < 0.4:
            yield OrderStep(end + 2, "comment", technician, random.choice(DONE_COMMENTS))
        if random.random() < 0.03:
            again = self._after(end, random.uniform(2, 12) * HOUR)
            yield OrderStep(again, "comment", self._crew.manager, "It is back; please look again.")
            yield OrderStep(again + 1, "reopen", self._crew.manager)
            yield OrderStep(self._after(again, random.uniform(1, 5) * HOUR) + 2, "complete", technician)

    def _after(self, start: int, seconds: float) -> int:
        return after(self._sla.calendar, start, int(seconds)) or start + int(seconds)


# What stands on the board on the day of the seeding, whenever that is: hours ago, title, description, priority, the trade,
# and what was done, each so many hours ago.
_CURRENT: tuple[tuple[float, str, str | None, Priority, int, tuple[tuple[float, str, str | None], ...]], ...] = (
    (170, "Door of the pavilion closes too fast", "Twice somebody was hit.", Priority.MEDIUM, 3, ()),
    (98, "Heating pump 2 vibrates", "More at night.", Priority.HIGH, 0,
     ((96, "start", None), (90, "comment", "Coupling is worn; a new one comes on Friday."))),
    (50, "Repaint the wall in the lobby", "Scratches beside the lift.", Priority.LOW, 3,
     ((48, "start", None), (40, "hold", "Waiting for the paint."))),
    (30, "Meeting room Elbe is too warm", "25 °C at ten in the morning.", Priority.MEDIUM, 0,
     ((28, "start", None), (27, "comment", "Valve of the ceiling panel sticks; part is ordered."))),
    (29, "Air curtain at the main entrance runs on", None, Priority.LOW, 0,
     ((26, "cancel", "Works again; the timer was wrong."),)),
    (26, "Coffee machine in kitchenette 2 trips the fuse", None, Priority.HIGH, 1,
     ((25, "start", None), (23, "complete", None))),
    (9, "Yearly check of the fire doors", "All doors of the ground floor.", Priority.MEDIUM, 3, ((5, "start", None),)),
    (7, "Lift B stops with a jolt", "On the second floor.", Priority.HIGH, 1,
     ((6, "start", None), (4, "hold", "Waiting for the manufacturer's fitter."))),
    (5, "Replace lamps in stairwell B", None, Priority.LOW, 1, ()),
    (3, "Dishwasher leaks", "Some water under the door.", Priority.HIGH, 2, ((2, "start", None), (1, "complete", None))),
    (2.5, "Charger 1 does not release the cable", None, Priority.MEDIUM, 1, ()),
    (1.2, "Water under the sink in kitchenette 2", "A bucket is in place.", Priority.CRITICAL, 2, ()),
)  # fmt: skip


def current(crew: Crew, rooms: Sequence[Location], now: int) -> Iterator[PlannedOrder]:
    for index, (hours, title, description, priority, trade, done) in enumerate(_CURRENT):
        technician = crew.technicians[trade]
        new = NewWorkOrder(
            title=title,
            description=description,
            priority=priority,
            location_id=rooms[index * 3 % len(rooms)].id,
            assignee_id=technician if done else None,
            reported_by=crew.reporters[index % len(crew.reporters)],
        )
        steps = [OrderStep(now - int(ago * HOUR), verb, technician, text) for ago, verb, text in done]
        yield PlannedOrder(now - int(hours * HOUR), new, steps)
