from functools import partial

from msgspec.structs import replace

from steward.kit.events.event_types import event_type, record_events
from steward.kit.security.permissions import Permission
from steward.sor_quotations.model import EXAMPLE, QuotationStatus

_define = partial(event_type, permission=Permission.SOR_READ)

_SUBMITTED_EXAMPLE = replace(EXAMPLE, status=QuotationStatus.SUBMITTED, approved_by=None, approved_at=None)

CREATED, UPDATED, DELETED = record_events(
    "sor.quotation",
    "Draft of a quotation",
    replace(_SUBMITTED_EXAMPLE, status=QuotationStatus.DRAFT, submitted_by=None, submitted_at=None),
    permission=Permission.SOR_READ,
    was={"work_order_id": None},
)
SUBMITTED = _define(
    "sor.quotation.submitted",
    "Quotation submitted for approval.",
    _SUBMITTED_EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents line_item_count submitted_by submitted_at created",
    was_status=QuotationStatus.DRAFT,
)
REJECTED = _define(
    "sor.quotation.rejected",
    "Quotation sent back to be revised.",
    replace(
        EXAMPLE,
        status=QuotationStatus.DRAFT,
        approved_by=None,
        approved_at=None,
        rejected_by="usr_00064a1b2c3d4e5f60718293a4b5",
        rejected_at=1767229200,
        rejected_reason="The valve is not needed.",
    ),
    "id schedule_id work_order_id status total_amount_cents rejected_by rejected_at rejected_reason created",
    was_status=QuotationStatus.SUBMITTED,
)
APPROVED = _define(
    "sor.quotation.approved",
    "Quotation approved.",
    EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents approved_by approved_at created",
    was_status=QuotationStatus.SUBMITTED,
)
