from steward.kit.db.listing import Listing, Sort
from steward.kit.db.table import Table
from steward.sor_quotations.model import Quotation

QUOTATIONS = Table("sor_quotations", Quotation, "quotation")
LISTING = Listing(
    QUOTATIONS,
    filters={
        "status": "status = {}",
        "schedule_id": "schedule_id = {}",
        "work_order_id": "work_order_id = {}",
        "updated_after": "updated >= {}",
    },
    sorts={"updated": Sort("updated")},
)
