"""Schedules of rates and the quotations made with them, as the rows that they are now. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from steward.demo.fixed_rows import table
from steward.demo.past import DAY, HOUR, IdAt, dated, day_start, drawn, local_date, moved
from steward.kit.records.moves import MoveDetails
from steward.sor_quotations import rules as quotations
from steward.sor_quotations.model import LineItem, NewQuotation, Quotation
from steward.sor_schedules import rules as schedules
from steward.sor_schedules.items.model import RateItem
from steward.sor_schedules.model import NewSchedule, Schedule, ScheduleStatus
from steward.work_orders.model import WorkOrder

_DESCRIPTION = "Rates agreed with the framework contractor."
_WITHDRAWN_BECAUSE = "Nights and weekends are part of the new contract."
_REJECTED_BECAUSE = "Two hours of scaffolding are enough; please correct."
# A price that the schedule doesn't list.
_DISPOSAL = LineItem(None, None, "Disposal of the old part", "each", 1.0, 3500, 3500)


class _Rate(msgspec.Struct, frozen=True):
    code: str
    description: str
    unit: str
    cents: int


_RATES = table("rates", _Rate)


class Rates(msgspec.Struct):
    schedules: list[Schedule]
    items: list[RateItem]
    quotations: list[Quotation]


def rates(orders: Sequence[WorkOrder], by: str, approver: str, *, id_at: IdAt, now: int) -> Rates:
    """Last year's rates, this year's, a draft of next year's, and some that were withdrawn. `by` submits quotations, `approver`
    approves them."""
    made = Rates([], [], [])
    year = local_date(now).year
    before: Schedule | None = None
    for version, percent in enumerate((96, 100, 104), start=1):
        start, end = (day_start(dt.date(year + version + more, 1, 1)) for more in (-2, -1))
        # Somebody has been working on next year's since last week.
        created = start - 40 * DAY if version < 3 else now - 7 * DAY
        name = f"Building services {year + version - 2}"
        schedule = _schedule(name, start, end, version, created, id_at)
        schedule = replace(schedule, supersedes=before.id if before else None)
        if version < 3:
            schedule = _published(schedule, approver)
            made.schedules[-1:] = [schedules.superseded(old, schedule) for old in made.schedules[-1:]]
        made.schedules.append(schedule)
        made.items += _items(schedule, percent, id_at)
        before = schedule
    made.quotations += _quotations(made, orders, by, approver, id_at, now)
    start, end = day_start(dt.date(year - 1, 1, 1)), now - 45 * DAY
    schedule = _schedule("Building services, out of hours", start, end, 1, start - 30 * DAY, id_at)
    withdrawal = MoveDetails(end, approver, _WITHDRAWN_BECAUSE)
    made.schedules.append(moved(schedules.MOVES, _published(schedule, approver), "withdraw", withdrawal))
    made.items += _items(schedule, 160, id_at)
    return made


def _schedule(name: str, start: int, end: int, version: int, created: int, id_at: IdAt) -> Schedule:
    new = NewSchedule(name=name, description=_DESCRIPTION, effective_from=start, effective_to=end)
    made = replace(schedules.new_schedule(new, created), item_count=len(_RATES), version=version)
    return dated(made, "sch", id_at, created)


def _published(schedule: Schedule, by: str) -> Schedule:
    return moved(schedules.MOVES, schedule, "publish", MoveDetails(schedule.created + 9 * DAY, by))


def _items(schedule: Schedule, percent: int, id_at: IdAt) -> Iterator[RateItem]:
    at = schedule.created
    for rate in _RATES:
        cents = rate.cents * percent // 100
        yield RateItem(id_at("soi", at), schedule.id, rate.code, rate.description, rate.unit, cents, at, at)


def _quotations(
    made: Rates, orders: Sequence[WorkOrder], by: str, approver: str, id_at: IdAt, now: int
) -> Iterator[Quotation]:
    """Every twelfth order had one; the last ones are a draft, one that was sent back, and two that wait for approval."""
    asked = [order for order in orders if order.responded_at is not None][::12]
    for index, order in enumerate(asked):
        at = order.responded_at or order.created
        schedule = next((one for one in made.schedules if _holds(one, at)), None)
        if schedule is None:
            continue
        items = [item for item in made.items if item.schedule_id == schedule.id]
        random = drawn("quotation", order.number)
        lines = [_line(item, random.randint(2, 24)) for item in random.sample(items, random.randint(2, 5))]
        if index % 5 == 0:
            lines.append(_DISPOSAL)
        new = NewQuotation(schedule_id=schedule.id, work_order_id=order.id)
        quotation = dated(quotations.new_quotation(new, lines, at), "quo", id_at, at)
        yield _moved(quotation, len(asked) - index, by, approver, now)


def _holds(schedule: Schedule, at: int) -> bool:
    published = schedule.status is ScheduleStatus.PUBLISHED
    return published and (schedule.effective_from or 0) <= at < (schedule.effective_to or 0)


def _line(item: RateItem, halves: int) -> LineItem:
    amount = (item.rate_cents * halves + 1) // 2
    return LineItem(item.id, item.code, item.description, item.unit, halves / 2, item.rate_cents, amount)


def _moved(quotation: Quotation, left: int, by: str, approver: str, now: int) -> Quotation:
    """`left` counts from the end."""
    submitted, decided = min(now, quotation.created + HOUR), min(now, quotation.created + 5 * HOUR)
    if left == 1:
        return quotation
    quotation = moved(quotations.MOVES, quotation, "submit", MoveDetails(submitted, by))
    if left in {2, 4}:
        return quotation
    if left == 3:
        return moved(quotations.MOVES, quotation, "reject", MoveDetails(decided, approver, _REJECTED_BECAUSE))
    return moved(quotations.MOVES, quotation, "approve", MoveDetails(decided, approver))
