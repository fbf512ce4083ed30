"""Quotations: lines priced from a schedule of rates, submitted by one person and approved by another."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.db.pagination import PageQuery
from steward.kit.domain.fields import Body, Identifier, Record, Seconds
from steward.kit.domain.moves import Move, Moves
from steward.kit.domain.problems import Conflict, Forbidden, Invalid
from steward.kit.events.event_types import event_type
from steward.sor_schedules.model import Code, ItemText, Rate, Schedule, Unit, in_effect

MAX_LINES = 500


class QuotationStatus(StrEnum):
    DRAFT = "Draft"
    SUBMITTED = "Submitted"
    APPROVED = "Approved"


class LineItem(Record, frozen=True):
    """A copy of what the schedule said, or a star rate: a price for what the schedule does not list."""

    item_id: Annotated[str | None, Meta(description="An item of the schedule; null for a star rate.")]
    code: str | None
    description: str
    unit: str
    # The form in which it is shown, exact for its 12 digits; amounts are made from the decimal that the caller sent.
    quantity: Annotated[float, Meta(description="At most three decimals.", examples=[12.5])]
    rate_cents: int
    amount_cents: Annotated[int, Meta(description="quantity times rateCents, rounded half up.")]


class Quotation(Record, frozen=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: Annotated[int, Meta(description="The sum of the lines' amounts.")]
    line_item_count: int
    line_items: list[LineItem]
    submitted_by: str | None
    submitted_at: Seconds | None
    approved_by: str | None
    approved_at: Seconds | None
    rejected_by: Annotated[str | None, Meta(description="Who last sent it back to Draft.")]
    rejected_at: Seconds | None
    rejected_reason: str | None
    created: Seconds
    updated: Seconds


Quantity = Annotated[
    Decimal,
    Meta(
        description="Over 0, at most three decimals.",
        examples=[12.5],
        extra_json_schema={"exclusiveMinimum": 0, "maximum": 999_999_999.999},
    ),
]


class NewLineItem(Body, frozen=True):
    """With `itemId`, all but the quantity is copied from the item; without it, this is a star rate."""

    quantity: Quantity
    item_id: Identifier | None = None
    code: Code | None = None
    description: ItemText | None = None
    unit: Unit | None = None
    rate_cents: Rate | None = None


NewLineItems = Annotated[list[NewLineItem], Meta(max_length=MAX_LINES)]


class NewQuotation(Body, frozen=True):
    schedule_id: Annotated[Identifier, Meta(description="Must be published and in effect.")]
    work_order_id: Identifier | None = None
    line_items: NewLineItems = []


class QuotationChanges(Body, frozen=True):
    work_order_id: Identifier | UnsetType | None = UNSET
    line_items: Annotated[NewLineItems, Meta(description="Replaces all lines.")] | UnsetType = UNSET


class Rejection(Body, frozen=True):
    reason: Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]


class QuotationQuery(PageQuery, frozen=True):
    status: QuotationStatus | None = None
    schedule_id: Identifier | None = None
    work_order_id: Identifier | None = None
    updated_after: Seconds | None = None


EXAMPLE = Quotation(
    id="quo_00064a1b2c3d4e5f60718293a4b5",
    schedule_id="sch_00064a1b2c3d4e5f60718293a4b5",
    work_order_id="wo_00064a1b2c3d4e5f60718293a4b5",
    status=QuotationStatus.APPROVED,
    total_amount_cents=10625,
    line_item_count=1,
    line_items=[
        LineItem(
            item_id="soi_00064a1b2c3d4e5f60718293a4b5",
            code="PLB-010",
            description="Renew isolating valve, 15 mm",
            unit="each",
            quantity=2.5,
            rate_cents=4250,
            amount_cents=10625,
        )
    ],
    submitted_by="usr_00064a1b2c3d4e5f60718293a4b5",
    submitted_at=1767229200,
    approved_by="usr_00064a1b2c3d4e5f60718293a4b6",
    approved_at=1767232800,
    rejected_by=None,
    rejected_at=None,
    rejected_reason=None,
    created=1767225600,
    updated=1767232800,
)
_SUBMITTED_EXAMPLE = replace(EXAMPLE, status=QuotationStatus.SUBMITTED, approved_by=None, approved_at=None)

SUBMITTED = event_type(
    "sor.quotation.submitted",
    "Quotation submitted for approval.",
    _SUBMITTED_EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents line_item_count submitted_by submitted_at created",
    previous="status",
    was={"status": QuotationStatus.DRAFT},
)
APPROVED = event_type(
    "sor.quotation.approved",
    "Quotation approved.",
    EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents approved_by approved_at created",
    previous="status",
    was={"status": QuotationStatus.SUBMITTED},
)
MOVES = Moves(
    "quotation",
    [
        Move("submit", (QuotationStatus.DRAFT,), QuotationStatus.SUBMITTED, SUBMITTED),
        Move("approve", (QuotationStatus.SUBMITTED,), QuotationStatus.APPROVED, APPROVED),
        Move("reject", (QuotationStatus.SUBMITTED,), QuotationStatus.DRAFT),
    ],
)

CONSTRAINTS: Constraints = {
    "sor_quotations_schedule": Reference("scheduleId", "schedule", "quotations"),
    "sor_quotations_work_order": Reference("workOrderId", "work order", "quotations"),
}


def require_offered(schedule: Schedule | None, now: int) -> None:
    """Nobody may quote by rates that don't hold."""
    if schedule is None:
        raise Invalid("scheduleId", "names no schedule of this organization")
    if not in_effect(schedule, now):
        raise Invalid("scheduleId", "names a schedule that is not published and in effect")


def require_draft(quotation: Quotation, verb: str) -> Quotation:
    if quotation.status is not QuotationStatus.DRAFT:
        raise Conflict(f"This quotation is {quotation.status}; it can be {verb} only while it is Draft.")
    return quotation


def with_lines(quotation: Quotation, lines: list[LineItem]) -> Quotation:
    return replace(
        quotation,
        line_items=lines,
        line_item_count=len(lines),
        total_amount_cents=sum(line.amount_cents for line in lines),
    )


def submitted(quotation: Quotation, *, by: str | None, now: int) -> Quotation:
    if not quotation.line_items:
        raise Invalid("lineItems", "a quotation needs at least one line before it is submitted")
    return replace(quotation, submitted_by=by, submitted_at=now)


def approved(quotation: Quotation, *, by: str | None, now: int) -> Quotation:
    """Four eyes: a key counts as the person who made it."""
    if by == quotation.submitted_by:
        raise Forbidden("Who submitted a quotation may not approve it.")
    return replace(quotation, approved_by=by, approved_at=now)


def rejected(quotation: Quotation, reason: str, *, by: str | None, now: int) -> Quotation:
    """Back to Draft. The reason stays, for who mends the quotation and for who judges it next."""
    return replace(
        quotation,
        submitted_by=None,
        submitted_at=None,
        rejected_by=by,
        rejected_at=now,
        rejected_reason=reason,
    )
