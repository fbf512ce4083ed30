from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from steward.kit.domain.problems import Conflict, ErrorDetail, Forbidden, Invalid, refuse_faults
from steward.kit.domain.shared_fields import new_record
from steward.kit.records.moves import Move, MoveDetails, Moves
from steward.sor_quotations.events import APPROVED, REJECTED, SUBMITTED
from steward.sor_quotations.model import LineItem, NewLineItem, NewQuotation, Quotation, QuotationStatus
from steward.sor_schedules.model import Schedule
from steward.sor_schedules.rules import in_effect


def submitted(quotation: Quotation, _details: MoveDetails) -> Quotation:
    if not quotation.line_items:
        raise Invalid("lineItems", "a quotation needs at least one line before it is submitted")
    return quotation


def is_second_person(quotation: Quotation, by: str | None) -> bool:
    return by != quotation.submitted_by


def approved(quotation: Quotation, details: MoveDetails) -> Quotation:
    """Four eyes, between the recorded persons: a key counts as the person who made it, or whom it names."""
    if not is_second_person(quotation, details.by):
        raise Forbidden("Who submitted a quotation may not approve it.")
    return quotation


def rejected(quotation: Quotation, _details: MoveDetails) -> Quotation:
    """Back to Draft. The reason stays, for the person who corrects the quotation and the one who judges it next."""
    return replace(quotation, submitted_by=None, submitted_at=None)


_DRAFT, _SUBMITTED, _APPROVED = QuotationStatus.DRAFT, QuotationStatus.SUBMITTED, QuotationStatus.APPROVED

MOVES: Moves[Quotation, MoveDetails] = Moves(
    "quotation",
    [
        Move("submit", (_DRAFT,), _SUBMITTED, SUBMITTED, stamp="submitted", then=submitted),
        Move("approve", (_SUBMITTED,), _APPROVED, APPROVED, stamp="approved", then=approved),
        Move("reject", (_SUBMITTED,), _DRAFT, REJECTED, needs_reason=True, stamp="rejected", then=rejected),
    ],
)


def new_quotation(new: NewQuotation, lines: Sequence[LineItem], now: int) -> Quotation:
    """`lines` are those of `new` with their prices."""
    return new_record(Quotation, "quo", new, now, status=QuotationStatus.DRAFT, **_totals(lines))


def require_in_effect(schedule: Schedule | None, now: int) -> None:
    """A quotation needs rates that are in effect."""
    if schedule is None:
        raise Invalid("scheduleId", "names no schedule of this organization")
    if not in_effect(schedule, now):
        raise Invalid("scheduleId", "names a schedule that is not published and in effect")


def refuse_new_rates(lines: Sequence[NewLineItem], known: Sequence[LineItem], schedule: Schedule) -> None:
    """Lines copied while the rates were valid stay; no more can be added."""
    there = {line.item_id for line in known}
    refuse_faults(
        ErrorDetail(f"lineItems[{index}].itemId", f"is new, and {schedule.name} is not in effect any more")
        for index, line in enumerate(lines)
        if line.item_id is not None and line.item_id not in there
    )


def check_deletable(quotation: Quotation) -> None:
    require_draft(quotation, "deleted")


def require_draft(quotation: Quotation, verb: str) -> Quotation:
    if quotation.status is not QuotationStatus.DRAFT:
        raise Conflict(f"This quotation is {quotation.status}; it can be {verb} only while it is Draft.")
    return quotation


def with_lines(quotation: Quotation, lines: Sequence[LineItem]) -> Quotation:
    return replace(quotation, **_totals(lines))


def _totals(lines: Sequence[LineItem]) -> dict[str, Any]:
    return {
        "line_items": list(lines),
        "line_item_count": len(lines),
        "total_amount_cents": sum(line.amount_cents for line in lines),
    }
