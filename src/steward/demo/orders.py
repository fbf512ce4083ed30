"""A year of work orders: what was reported and planned, who did it, and when. Pure.

Titles, texts and intervals are fixed rows; chance picks among them and says how long the work took.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from steward.alert_rules.alerts.model import Alert
from steward.alert_rules.model import AlertWorkOrder
from steward.assets.model import Asset
from steward.demo.fixed_rows import TEXTS, table
from steward.demo.past import DAY, HOUR, MINUTE, day_start, drawn, local_date
from steward.kit.domain.fields import Priority
from steward.locations.model import Location
from steward.work_orders.model import NewChecklistItem, NewWorkOrder
from steward.work_orders.sla.business_hours import OpeningHours, WeeklyHours, after
from steward.work_orders.sla.model import NewSlaPolicy, SlaPolicy, SlaTarget

DAYS = 365
# How many problems are reported, from Monday to Sunday.
_REPORTS_A_DAY = (4.6, 3.4, 3.2, 3.2, 2.6, 0.5, 0.3)
# In the order of the technicians.
_TRADES = ("air", "electrics", "plumbing", "building")


class ReportedProblem(msgspec.Struct, frozen=True):
    """`{place}` and `{asset}` in the title are filled in; without a kind of equipment it is about a room."""

    title: str
    priority: Priority
    trade: str
    description: str | None = None
    kind: str | None = None


class PlannedWork(msgspec.Struct, frozen=True):
    """Comes every so many weeks, on a Monday; `; ` separates the items of the checklist."""

    title: str
    kind: str
    every_weeks: int
    trade: str
    checklist: str


class CurrentOrder(msgspec.Struct, frozen=True):
    """An order on the board on the day of the seeding; its times are hours before that."""

    hours_ago: float
    title: str
    priority: Priority
    trade: str
    description: str | None = None
    started: float | None = None
    held: float | None = None
    completed: float | None = None
    cancelled: float | None = None
    reason: str | None = None
    commented: float | None = None
    comment: str | None = None


_REPORTS = table("reports", ReportedProblem)
_PLANNED = table("planned", PlannedWork)
_CURRENT = table("current", CurrentOrder)


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """The moves of an order and when they were made. Those after the seeding have not happened yet."""

    moves: list[tuple[str, int]]
    # Why it was put on hold or cancelled.
    reason: str | None = None
    comments: list[tuple[int, str]] = []


class PlannedOrder(msgspec.Struct, frozen=True):
    created: int
    new: NewWorkOrder
    technician: str
    work: Work
    alert: Alert | None = None


class Crew(msgspec.Struct, frozen=True):
    """Who reports and who repairs, by the identifiers of users; technicians in the order of the trades."""

    manager: str
    technicians: Sequence[str]
    reporters: Sequence[str]

    def technician(self, trade: str) -> str:
        return self.technicians[_TRADES.index(trade)]


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

    def reported(self) -> Iterator[PlannedOrder]:
        today = local_date(self._now)
        for ago in range(DAYS, -1, -1):
            day = today - dt.timedelta(days=ago)
            random = drawn("orders", day.isoformat())
            expected = _REPORTS_A_DAY[day.weekday()]
            for _ in range(int(expected + random.random())):
                at = day_start(day) + int(random.triangular(6.5, 18.5, 9.5) * HOUR)
                if at < self._now - HOUR:
                    yield self._report(random.choice(_REPORTS), at, random)

    def planned(self) -> Iterator[PlannedOrder]:
        today = local_date(self._now)
        monday = today - dt.timedelta(days=today.weekday())
        for weeks_ago in range(DAYS // 7, -1, -1):
            day = monday - dt.timedelta(weeks=weeks_ago)
            at, week = day_start(day) + 7 * HOUR, day.toordinal() // 7
            if at > self._now - HOUR:
                continue
            for work in _PLANNED:
                for index, asset in enumerate(self._of_kind(work.kind)):
                    if (week + index) % work.every_weeks == 0:
                        yield self._service(work, asset, at + index * MINUTE)

    def current(self) -> Iterator[PlannedOrder]:
        for index, row in enumerate(_CURRENT):
            technician = self._crew.technician(row.trade)
            new = NewWorkOrder(
                title=row.title,
                description=row.description,
                priority=row.priority,
                location_id=self._rooms[index * 3 % len(self._rooms)].id,
                reported_by=self._crew.reporters[index % len(self._crew.reporters)],
            )
            hours = {
                "start": row.started,
                "hold": row.held,
                "complete": row.completed,
                "cancel": row.cancelled,
            }
            work = Work(
                moves=[(verb, self._ago(ago)) for verb, ago in hours.items() if ago is not None],
                reason=row.reason,
                comments=[(self._ago(row.commented or 0), row.comment)] if row.comment else [],
            )
            yield PlannedOrder(self._ago(row.hours_ago), new, technician, work)

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
        return PlannedOrder(raised_at, new, technician, self._work(new.priority, raised_at, random), alert)

    def _ago(self, hours: float) -> int:
        return self._now - int(hours * HOUR)

    def _of_kind(self, kind: str) -> list[Asset]:
        return [asset for name, asset in self._equipment if name == kind]

    def _report(self, report: ReportedProblem, at: int, random: Random) -> PlannedOrder:
        asset = random.choice(self._of_kind(report.kind)) if report.kind else None
        room = random.choice(self._rooms)
        technician = self._crew.technician(report.trade)
        new = NewWorkOrder(
            title=report.title.format(place=room.name, asset=asset.name if asset else ""),
            description=report.description,
            priority=report.priority,
            location_id=asset.location_id if asset else room.id,
            asset_id=asset.id if asset else None,
            assignee_id=technician if random.random() < 0.5 else None,
            reported_by=random.choice(self._crew.reporters),
        )
        return PlannedOrder(at, new, technician, self._work(new.priority, at, random))

    def _service(self, work: PlannedWork, asset: Asset, at: int) -> PlannedOrder:
        technician = self._crew.technician(work.trade)
        new = NewWorkOrder(
            title=work.title.format(asset=asset.name),
            priority=Priority.LOW,
            location_id=asset.location_id,
            asset_id=asset.id,
            assignee_id=technician,
            reported_by=self._crew.manager,
            checklist=[NewChecklistItem(text=text) for text in work.checklist.split("; ")],
        )
        return PlannedOrder(
            at, new, technician, self._done(new.priority, at, drawn("planned", at, asset.name))
        )

    def _work(self, priority: Priority, created: int, random: Random) -> Work:
        if random.random() < 0.04:
            at = self._after(created, random.uniform(0.5, 6) * HOUR)
            return Work(moves=[("cancel", at)], reason=random.choice(TEXTS.cancel_reasons))
        return self._done(priority, created, random)

    def _done(self, priority: Priority, created: int, random: Random) -> Work:
        """In working time, nearly always within the targets; a year ago the team was slower than today."""
        target = self._sla.targets[priority]
        slower = 0.5 * (self._now - created) / (DAYS * DAY)
        respond = target.response_minutes * MINUTE * random.lognormvariate(-1.25 + slower, 0.65)
        work = target.resolution_minutes * MINUTE * random.lognormvariate(-1.3 + slower, 0.7)
        started = self._after(created, respond)
        end = self._after(started, max(work, 10 * MINUTE))
        pause = []
        if random.random() < 0.15:
            held = self._after(started, work * 0.4 + MINUTE)
            resumed = self._after(held, random.uniform(0.5, 4) * 11 * HOUR)
            end = self._after(resumed, work * 0.6 + MINUTE)
            pause = [("hold", held), ("resume", resumed)]
        comments = []
        if random.random() < 0.35:
            comments.append((random.randrange(started + 1, end), random.choice(TEXTS.comments)))
        if random.random() < 0.4:
            comments.append((end + 1, random.choice(TEXTS.done_comments)))
        reason = random.choice(TEXTS.hold_reasons) if pause else None
        moves = [("start", started), *pause, ("complete", end)]
        return Work(moves=moves, reason=reason, comments=comments)

    def _after(self, start: int, seconds: float) -> int:
        return after(self._sla.calendar, start, int(seconds)) or start + int(seconds)
