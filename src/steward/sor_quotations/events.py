from msgspec.structs import replace

from steward.kit.events.event_types import event_type
from steward.sor_quotations.model import EXAMPLE, QuotationStatus

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
