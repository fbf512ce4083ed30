"""Written by `python -m scripts.client` from openapi.json; change the generator instead."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import UNSET, UnsetType

from .._answers import Model, OpenEnum, Record


class ApprovalBy(Model, kw_only=True):
    approved_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class LineItem(Model, kw_only=True):
    """A copy of the schedule's item, or a star rate: a price for work that the schedule doesn't list."""

    item_id: str | None
    """An item of the schedule; null for a star rate."""
    code: str | None
    description: str
    unit: str
    quantity: float
    """At most three decimals."""
    rate_cents: int
    amount_cents: int
    """quantity times rateCents, rounded half up."""


class NewLineItem(Model, kw_only=True):
    """With `itemId`, all but the quantity is copied from the item; without it, this is a star rate."""

    quantity: float
    """Over 0, at most three decimals."""
    item_id: str | UnsetType | None = UNSET
    code: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET
    unit: str | UnsetType | None = UNSET
    rate_cents: int | UnsetType | None = UNSET
    """Cents for one unit."""


class NewQuotation(Model, kw_only=True):
    schedule_id: str
    """Must be published and in effect."""
    work_order_id: str | UnsetType | None = UNSET
    line_items: Sequence[NewLineItem | Mapping[str, Any]] | UnsetType = UNSET


class QuotationStatus(OpenEnum):
    APPROVED = "Approved"
    DRAFT = "Draft"
    SUBMITTED = "Submitted"


QuotationStatusLike: TypeAlias = QuotationStatus | Literal["Approved", "Draft", "Submitted"]


class Quotation(Record, kw_only=True):
    id: str
    schedule_id: str
    work_order_id: str | None
    status: QuotationStatus
    total_amount_cents: int
    """The sum of the lines' amounts."""
    line_item_count: int
    line_items: list[LineItem]
    submitted_by: str | None
    submitted_at: int | None
    """Unix seconds."""
    approved_by: str | None
    approved_at: int | None
    """Unix seconds."""
    rejected_by: str | None
    """Who last sent it back to Draft."""
    rejected_at: int | None
    """Unix seconds."""
    rejected_reason: str | None
    created: int
    """Unix seconds."""
    updated: int
    """Unix seconds."""


class QuotationChanges(Model, kw_only=True):
    work_order_id: str | UnsetType | None = UNSET
    line_items: Sequence[NewLineItem | Mapping[str, Any]] | UnsetType | None = UNSET
    """Replaces all lines."""


class Rejection(Model, kw_only=True):
    reason: str
    rejected_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""


class SorQuotationsSort(OpenEnum):
    CREATED_DESCENDING = "-created"
    UPDATED_DESCENDING = "-updated"
    CREATED = "created"
    UPDATED = "updated"


SorQuotationsSortLike: TypeAlias = SorQuotationsSort | Literal["-created", "-updated", "created", "updated"]


class SubmissionBy(Model, kw_only=True):
    submitted_by: str | UnsetType | None = UNSET
    """A user of the organization; the caller, when absent. Naming another needs `users:act-as`."""
