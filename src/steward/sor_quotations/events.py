from msgspec.structs import replace

from steward.kit.events.event_types import event_type, record_events
from steward.sor_quotations.model import EXAMPLE, QuotationStatus

_SUBMITTED_EXAMPLE = replace(EXAMPLE, status=QuotationStatus.SUBMITTED, approved_by=None, approved_at=None)

CREATED, UPDATED, DELETED = record_events(
    "sor.quotation",
    "Draft of a quotation",
    replace(_SUBMITTED_EXAMPLE, status=QuotationStatus.DRAFT, submitted_by=None, submitted_at=None),
    was={"work_order_id": None},
)
SUBMITTED = event_type(
    "sor.quotation.submitted",
    "Quotation submitted for approval.",
    _SUBMITTED_EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents line_item_count submitted_by submitted_at created",
    previous="status",
    was={"status": QuotationStatus.DRAFT},
)
REJECTED = event_type(
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
    previous="status",
    was={"status": QuotationStatus.SUBMITTED},
)
APPROVED = event_type(
    "sor.quotation.approved",
    "Quotation approved.",
    EXAMPLE,
    "id schedule_id work_order_id status total_amount_cents approved_by approved_at created",
    previous="status",
    was={"status": QuotationStatus.SUBMITTED},
)
