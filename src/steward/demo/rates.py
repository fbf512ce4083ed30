"""Schedules of rates and what was quoted by them. Pure."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal

import msgspec
from msgspec.structs import replace

from steward.demo.past import DAY, HOUR, IdAt, dated, day_start, drawn, local_date
from steward.kit.records.moves import MoveDetails
from steward.sor_quotations import rules as quotation_rules
from steward.sor_quotations.model import NewLineItem, NewQuotation, Quotation
from steward.sor_quotations.pricing import priced
from steward.sor_schedules import rules as schedule_rules
from steward.sor_schedules.items.model import NewRateItem, RateItem
from steward.sor_schedules.items.rules import new_item
from steward.sor_schedules.model import NewSchedule, Schedule
from steward.work_orders.model import WorkOrder

# Code, description, unit, cents.
_RATES = (
    ("PLB-010", "Renew isolating valve, 15 mm", "each", 4250),
    ("PLB-020", "Clear blocked waste", "hour", 6800),
    ("PLB-030", "Replace mixer tap", "each", 11900),
    ("PLB-040", "Repair cistern", "each", 5400),
    ("PLB-050", "Renew copper pipe, 22 mm", "m", 3150),
    ("PLB-060", "Drain and refill heating circuit", "each", 18500),
    ("ELE-010", "Replace lamp, stairwell", "each", 1850),
    ("ELE-020", "Replace socket outlet", "each", 4600),
    ("ELE-030", "Fault finding, low voltage", "hour", 7400),
    ("ELE-040", "Replace emergency luminaire", "each", 13800),
    ("ELE-050", "Install data outlet", "each", 8900),
    ("ELE-060", "Test of portable appliances", "each", 450),
    ("HVC-010", "Replace filter, bag F7", "each", 5900),
    ("HVC-020", "Replace drive belt", "each", 7250),
    ("HVC-030", "Clean heat exchanger", "each", 21500),
    ("HVC-040", "Refrigerant leak test", "each", 16400),
    ("HVC-050", "Fitter, air and heat", "hour", 7900),
    ("HVC-060", "Replace thermostatic valve", "each", 6700),
    ("BLD-010", "Ease and adjust door", "each", 3900),
    ("BLD-020", "Replace door closer", "each", 14200),
    ("BLD-030", "Replace ceiling tile, 600 by 600 mm", "each", 2300),
    ("BLD-040", "Paint wall, two coats", "m2", 1480),
    ("BLD-050", "Relay carpet tiles", "m2", 2650),
    ("BLD-060", "Glazing, double, to measure", "m2", 24800),
    ("GEN-010", "Call-out within working hours", "each", 6500),
    ("GEN-020", "Call-out out of hours", "each", 14500),
    ("GEN-030", "Scaffold tower, per day", "day", 9800),
)


class Rates(msgspec.Struct):
    schedules: list[Schedule]
    items: list[RateItem]
    quotations: list[Quotation]


def rates(orders: Sequence[WorkOrder], by: str, approver: str, *, id_at: IdAt, now: int) -> Rates:
    """Last year's rates, this year's, and a draft of next year's, each the next version of the one before; and some that were
    withdrawn. `by` submits, `approver` approves."""
    made = Rates([], [], [])
    year = local_date(now).year
    for offset, percent in ((-1, 96), (0, 100), (1, 104)):
        start, end = (day_start(dt.date(year + offset + more, 1, 1)) for more in (0, 1))
        # The next year's is worked on since last week.
        created = start - 40 * DAY if offset < 1 else now - 7 * DAY
        schedule, items = _schedule(f"Building services {year + offset}", start, end, percent, created, id_at)
        if made.schedules:
            before = made.schedules[-1]
            schedule = replace(schedule, version=before.version + 1, supersedes=before.id)
        if offset < 1:
            schedule = _published(schedule, approver, created + 9 * DAY)
            made.schedules[-1:] = [schedule_rules.superseded(one, schedule) for one in made.schedules[-1:]]
        made.schedules.append(schedule)
        made.items += items
    made.quotations += _quotations(made, orders, by, approver, id_at, now)
    schedule, items = _withdrawn(year, approver, id_at, now)
    made.schedules.append(schedule)
    made.items += items
    return made


def _published(schedule: Schedule, by: str, at: int) -> Schedule:
    return replace(schedule_rules.MOVES.apply(schedule, "publish", MoveDetails(at, by)), updated=at)


def _withdrawn(year: int, by: str, id_at: IdAt, now: int) -> tuple[Schedule, list[RateItem]]:
    start, end = day_start(dt.date(year - 1, 1, 1)), day_start(dt.date(year + 1, 1, 1))
    created, at = start - 30 * DAY, now - 45 * DAY
    schedule, items = _schedule("Building services, out of hours", start, end, 160, created, id_at)
    published = _published(schedule, by, created + 9 * DAY)
    details = MoveDetails(at, by, "Nights and weekends are part of the new contract.")
    return replace(schedule_rules.MOVES.apply(published, "withdraw", details), updated=at), items


def _schedule(
    name: str, start: int, end: int, percent: int, created: int, id_at: IdAt
) -> tuple[Schedule, list[RateItem]]:
    new = NewSchedule(
        name=name,
        description="Rates agreed with the framework contractor.",
        effective_from=start,
        effective_to=end,
    )
    schedule = dated(schedule_rules.new_schedule(new, created), "sch", id_at, created)
    items = [
        dated(
            new_item(schedule.id, NewRateItem(code, description, unit, cents * percent // 100), created),
            "soi",
            id_at,
            created,
        )
        for code, description, unit, cents in _RATES
    ]
    return schedule_rules.with_more_items(schedule, len(items)), items


def _quotations(
    made: Rates, orders: Sequence[WorkOrder], by: str, approver: str, id_at: IdAt, now: int
) -> list[Quotation]:
    """Every twelfth order had one; those of the last days are still on their way."""
    found = []
    asked = [order for order in orders if order.responded_at is not None][::12]
    for index, order in enumerate(asked):
        left = len(asked) - index
        at = order.responded_at or order.created
        schedule = next((one for one in made.schedules if schedule_rules.in_effect(one, at)), None)
        if schedule is None:
            continue
        items = {item.id: item for item in made.items if item.schedule_id == schedule.id}
        random = drawn("quotation", order.number)
        lines = [
            NewLineItem(quantity=Decimal(random.randint(2, 24)) / 2, item_id=id)
            for id in random.sample(list(items), random.randint(2, 5))
        ]
        if index % 5 == 0:
            lines.append(
                NewLineItem(
                    quantity=Decimal(1), description="Disposal of the old part", unit="each", rate_cents=3500
                )
            )
        new = NewQuotation(schedule_id=schedule.id, work_order_id=order.id, line_items=lines)
        quotation = quotation_rules.new_quotation(new, priced(lines, items), at)
        quotation = dated(quotation, "quo", id_at, at)
        found.append(_moved(quotation, left, by, approver, at, now))
    return found


def _moved(quotation: Quotation, left: int, by: str, approver: str, at: int, now: int) -> Quotation:
    """The last ones, `left` from the end, are a draft, one that was sent back, and two that wait for approval."""
    if left == 1:
        return quotation
    moves = quotation_rules.MOVES
    submitted_at, decided_at = min(now, at + HOUR), min(now, at + 5 * HOUR)
    submitted = moves.apply(quotation, "submit", MoveDetails(submitted_at, by))
    if left in {2, 4}:
        return replace(submitted, updated=submitted_at)
    if left == 3:
        reason = "Two hours of scaffolding are enough; please correct."
        details = MoveDetails(decided_at, approver, reason)
        return replace(moves.apply(submitted, "reject", details), updated=decided_at)
    approved = moves.apply(submitted, "approve", MoveDetails(decided_at, approver))
    return replace(approved, updated=decided_at)
