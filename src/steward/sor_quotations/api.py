from steward.kit.http.resource import Resource
from steward.kit.http.route import Route
from steward.kit.security.permissions import Permission
from steward.sor_quotations import actions, queries
from steward.sor_quotations.model import (
    EXAMPLE,
    ApprovalBy,
    NewQuotation,
    Quotation,
    QuotationChanges,
    QuotationQuery,
    Rejection,
    SubmissionBy,
)

_QUOTATIONS = Resource(
    tag="Quotations",
    path="/organizations/{orgId}/sor/quotations",
    id_name="quotationId",
    gives=Quotation,
    example=EXAMPLE,
    table=queries.QUOTATIONS,
    listing=queries.LISTING,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_NOT_DRAFT = {409: "The quotation is no longer a draft."}
_LINES = [
    {"itemId": "soi_00064a1b2c3d4e5f60718293a4b5", "quantity": 2.5},
    {"description": "Night access, escorted", "unit": "h", "quantity": 1.5, "rateCents": 6500},
]

ROUTES: tuple[Route, ...] = (
    _QUOTATIONS.list("listQuotations", "List quotations", query=QuotationQuery),
    *_QUOTATIONS.exports("exportQuotations", "quotations", query=QuotationQuery),
    _QUOTATIONS.create(
        actions.create,
        "createQuotation",
        "Create a quotation",
        description="A line with `itemId` copies code, description, unit and rate from the schedule's item; one without "
        "is a star rate and brings its own. Each line is rounded half up to a cent; the total is their sum.",
        body=NewQuotation,
        body_example={
            "scheduleId": EXAMPLE.schedule_id,
            "workOrderId": EXAMPLE.work_order_id,
            "lineItems": _LINES,
        },
    ),
    _QUOTATIONS.read("readQuotation", "Read a quotation"),
    _QUOTATIONS.change(
        actions.change,
        "changeQuotation",
        "Change a quotation",
        body=QuotationChanges,
        body_example={"lineItems": _LINES},
        refusals=_NOT_DRAFT,
    ),
    _QUOTATIONS.delete(actions.delete, "deleteQuotation", "Delete a quotation", refusals=_NOT_DRAFT),
    _QUOTATIONS.move_with(
        "submit",
        actions.submit,
        "submitQuotation",
        "Submit a quotation",
        description="Needs at least one line (422). Rates that were copied while they held may be submitted later, too.",
        body=SubmissionBy,
        body_example={},
    ),
    _QUOTATIONS.move_with(
        "approve",
        actions.approve,
        "approveQuotation",
        "Approve a quotation",
        description="Who submitted it may not approve it (403), nor may an API key that this person made, "
        "unless it names another who did (`users:act-as`).",
        body=ApprovalBy,
        body_example={},
        permission=Permission.SOR_APPROVE,
    ),
    _QUOTATIONS.move_with(
        "reject",
        actions.reject,
        "rejectQuotation",
        "Reject a quotation",
        description="Takes it back to Draft; the reason stays with it.",
        body=Rejection,
        body_example={"reason": "Line 2 is in the schedule: use its rate."},
        permission=Permission.SOR_APPROVE,
    ),
)
