from steward.kit.http.resource import Resource
from steward.kit.security.permissions import Permission
from steward.sor_quotations import actions, queries
from steward.sor_quotations.model import (
    EXAMPLE,
    ApprovalBy,
    NewQuotation,
    QuotationChanges,
    QuotationQuery,
    Rejection,
    SubmissionBy,
)

_QUOTATIONS = Resource(
    path="/organizations/{orgId}/sor/quotations",
    example=EXAMPLE,
    table=queries.QUOTATIONS,
    listing=queries.LISTING,
    query=QuotationQuery,
    read_permission=Permission.SOR_READ,
    write_permission=Permission.SOR_WRITE,
)
_NOT_DRAFT = {409: "The quotation is no longer a draft."}
_LINES = [
    {"itemId": "soi_00064a1b2c3d4e5f60718293a4b5", "quantity": 2.5},
    {"description": "Night access, escorted", "unit": "h", "quantity": 1.5, "rateCents": 6500},
]

ROUTES = (
    *_QUOTATIONS.reads(),
    _QUOTATIONS.create(
        actions.create,
        NewQuotation,
        description="A line with `itemId` copies code, description, unit and rate from the schedule's item; one without "
        "is a star rate and brings its own. Each line is rounded half up to a cent; the total is their sum.",
        body_example={
            "scheduleId": EXAMPLE.schedule_id,
            "workOrderId": EXAMPLE.work_order_id,
            "lineItems": _LINES,
        },
    ),
    _QUOTATIONS.change(
        actions.change, QuotationChanges, body_example={"lineItems": _LINES}, refusals=_NOT_DRAFT
    ),
    _QUOTATIONS.delete(actions.delete, refusals=_NOT_DRAFT),
    _QUOTATIONS.move_with(
        "submit",
        actions.submit,
        SubmissionBy,
        description="Needs at least one line (422). Rates that were copied while they held may be submitted later, too.",
    ),
    _QUOTATIONS.move_with(
        "approve",
        actions.approve,
        ApprovalBy,
        description="Who submitted it may not approve it (403), nor may an API key that this person made, "
        "unless it names another who did (`users:act-as`).",
        permission=Permission.SOR_APPROVE,
    ),
    _QUOTATIONS.move_with(
        "reject",
        actions.reject,
        Rejection,
        description="Takes it back to Draft; the reason stays with it.",
        body_example={"reason": "Line 2 is in the schedule: use its rate."},
        permission=Permission.SOR_APPROVE,
    ),
)
