"""The price of lines. Integers and decimals only: people search for every missing cent."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation

from steward.kit.domain.problems import ErrorDetail, refuse_faults
from steward.sor_quotations.model import LineItem, NewLineItem
from steward.sor_schedules.items.model import RateItem

# 500 lines of this add up to a total that every JSON reader holds exactly (below 2**53).
MAX_AMOUNT_CENTS = 10**13

_THOUSANDTH = Decimal("0.001")
# Nine digits before the point and three behind it; other quantities are refused, never rounded.
_TWELVE_DIGITS = Context(prec=12, traps=[Inexact, InvalidOperation])
_BAD_QUANTITY = "must be over 0, at most 999999999.999, with at most three decimals"

_COPIED = {"code": "code", "description": "description", "unit": "unit", "rate_cents": "rateCents"}
_STAR_NEEDS = {"description": "description", "unit": "unit", "rate_cents": "rateCents"}


def priced(lines: Sequence[NewLineItem], items: Mapping[str, RateItem]) -> list[LineItem]:
    """The lines with their amounts; `items` are the schedule's items that they name."""
    refuse_faults(
        ErrorDetail(f"lineItems[{index}].{detail.field}", detail.message)
        for index, line in enumerate(lines)
        for detail in _wrong(line, items)
    )
    return [_priced(line, items) for line in lines]


def thousandths(quantity: Decimal) -> int | None:
    """None if it isn't a quantity."""
    if not quantity.is_finite():
        return None
    try:
        exact = quantity.quantize(_THOUSANDTH, context=_TWELVE_DIGITS)
    except (Inexact, InvalidOperation):
        return None
    return int(exact.scaleb(3)) if exact > 0 else None


def amount(quantity_thousandths: int, rate_cents: int) -> int:
    """Rounded half up to a cent."""
    return (quantity_thousandths * rate_cents + 500) // 1000


def quantity_text(quantity: float) -> str:
    """As people write it: 2.5, not 2.500."""
    return f"{quantity:.3f}".rstrip("0").rstrip(".")


def _wrong(line: NewLineItem, items: Mapping[str, RateItem]) -> Iterable[ErrorDetail]:
    quantity = thousandths(line.quantity)
    if quantity is None:
        yield ErrorDetail("quantity", _BAD_QUANTITY)
    item = None
    if line.item_id is None:
        yield from (
            ErrorDetail(name, "is required for a star rate")
            for field, name in _STAR_NEEDS.items()
            if getattr(line, field) is None
        )
    elif (item := items.get(line.item_id)) is None:
        yield ErrorDetail("itemId", "names no item of this schedule")
    else:
        yield from (
            ErrorDetail(name, "is copied from the schedule's item; leave it out")
            for field, name in _COPIED.items()
            if getattr(line, field) not in {None, getattr(item, field)}
        )
    rate = item.rate_cents if item else line.rate_cents
    if quantity is not None and rate is not None and amount(quantity, rate) > MAX_AMOUNT_CENTS:
        yield ErrorDetail("quantity", f"makes an amount of more than {MAX_AMOUNT_CENTS} cents")


def _priced(line: NewLineItem, items: Mapping[str, RateItem]) -> LineItem:
    source = line if line.item_id is None else items[line.item_id]
    quantity = thousandths(line.quantity)
    # `_wrong` has checked that all of these are present.
    assert quantity is not None and source.description is not None  # noqa: S101, PT018
    assert source.unit is not None and source.rate_cents is not None  # noqa: S101, PT018
    return LineItem(
        item_id=line.item_id,
        code=source.code,
        description=source.description,
        unit=source.unit,
        quantity=quantity / 1000,
        rate_cents=source.rate_cents,
        amount_cents=amount(quantity, source.rate_cents),
    )
