"""A quotation as the form sends it, and a line as the form shows it."""

from msgspec import UNSET, Struct, UnsetType

from steward.kit.domain.fields import Body, Identifier


class LineForm(Body, frozen=True):
    """A line as people type it. All of it is text: faults are reported at each field, all at once."""

    item_id: str | None = None
    code: str | None = None
    description: str | None = None
    unit: str | None = None
    quantity: str | None = None
    # With two decimals.
    rate: str | None = None
    remove: bool = False


class QuotationForm(Body, frozen=True):
    work_order_id: Identifier | UnsetType | None = UNSET
    line_items: list[LineForm] = []


class Line(Struct, frozen=True, kw_only=True):
    """A line in the editor; `rate_cents` and `amount_cents` are None while they can't be computed."""

    item_id: str = ""
    code: str = ""
    description: str = ""
    unit: str = ""
    quantity: str = ""
    rate: str = ""
    rate_cents: int | None = None
    amount_cents: int | None = None
