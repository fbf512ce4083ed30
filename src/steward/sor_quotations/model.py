"""Quotations: lines priced from a schedule of rates, submitted by one person and approved by another."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from steward.kit.db.constraints import Constraints, Reference
from steward.kit.domain.fields import ActingPerson, Body, Identifier, Record, Seconds
from steward.kit.domain.list_query import Several, SortedPageQuery, UpdatedAfter
from steward.kit.domain.shared_fields import example_of
from steward.sor_schedules.items.model import Code, ItemText, Rate, Unit

MAX_LINES = 500


class QuotationStatus(StrEnum):
    DRAFT = "Draft"
    SUBMITTED = "Submitted"
    APPROVED = "Approved"


class LineItem(Record, frozen=True):
    """A copy of the schedule's item, or a star rate: a price for work that the schedule doesn't list."""

    item_id: Annotated[str | None, Meta(description="An item of the schedule; null for a star rate.")]
    code: str | None
    description: str
    unit: str
    # The displayed form, exact for its 12 digits; amounts are computed from the decimal that was sent.
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
    line_items: Annotated[NewLineItems, Meta(description="Replaces all lines.")] | UnsetType | None = UNSET


class SubmissionBy(Body, frozen=True):
    submitted_by: ActingPerson = None


class ApprovalBy(Body, frozen=True):
    approved_by: ActingPerson = None


class Rejection(Body, frozen=True):
    reason: Annotated[str, Meta(min_length=1, max_length=2000, pattern=r"\S")]
    rejected_by: ActingPerson = None


class QuotationQuery(SortedPageQuery, frozen=True):
    status: Several[QuotationStatus] | None = None
    schedule_id: Several[Identifier] | None = None
    work_order_id: Several[Identifier] | None = None
    updated_after: UpdatedAfter = None


EXAMPLE = example_of(
    Quotation,
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
    updated=1767232800,
)

CONSTRAINTS: Constraints = {
    "sor_quotations_schedule": Reference("scheduleId", "schedule", "quotations"),
    "sor_quotations_work_order": Reference("workOrderId", "work order", "quotations"),
}
