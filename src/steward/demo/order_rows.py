"""The fixed rows of work orders: what people report, what is planned, and what is on the board."""

import msgspec

from steward.demo.fixed_rows import table
from steward.kit.domain.fields import Priority


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


REPORTS = table("reports", ReportedProblem)
PLANNED = table("planned", PlannedWork)
CURRENT = table("current", CurrentOrder)
