"""Pure: lines between the form and the quotation."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from steward.kit.domain.money import cents_of, money_input
from steward.kit.domain.problems import ErrorDetail, Invalid, refuse_faults
from steward.kit.domain.shared_fields import made_from
from steward.kit.domain.validation import invalid
from steward.sor_quotations.editor.model import Line, LineForm
from steward.sor_quotations.model import MAX_LINES, LineItem, NewLineItem
from steward.sor_quotations.pricing import amount, quantity_text, thousandths
from steward.sor_schedules.items.model import RateItem

_QUANTITY = re.compile(r"[0-9]{1,12}(?:[.,][0-9]{1,12})?")
_PLACE = re.compile(r"lineItems\[(\d+)\]\.(\w+)")
# Fields that the form names differently from the API.
_NAMES = {"rateCents": "rate"}
# For a star rate, what to fill in is more useful than "is required".
_REQUIRED = re.compile(r"^is required.*")


def codes_alone(lines: Iterable[LineForm]) -> set[str]:
    """Codes of lines without other content: they mean the item of the schedule."""
    return {line.code for line in lines if _is_code_alone(line) and line.code}


def _is_code_alone(line: LineForm) -> bool:
    return bool(line.code) and not (line.item_id or line.description or line.unit or line.rate)


def new_lines(lines: Sequence[LineForm], by_code: Mapping[str, RateItem]) -> list[NewLineItem]:
    """`by_code` are the schedule's items with the codes that stand alone. The errors of all lines are reported at once."""
    if len(lines) > MAX_LINES:
        raise Invalid("lineItems", f"a quotation has at most {MAX_LINES} lines")
    made: list[NewLineItem] = []
    wrong: list[ErrorDetail] = []
    for index, line in enumerate(lines):
        if line.remove:
            continue
        try:
            made.append(_new_line(line, by_code))
        except Invalid as problem:
            wrong += [ErrorDetail(f"lineItems.{index}.{d.field}", d.message) for d in problem.details]
    refuse_faults(wrong)
    return made


def _new_line(line: LineForm, by_code: Mapping[str, RateItem]) -> NewLineItem:
    wrong: list[ErrorDetail] = []
    given: dict[str, Any] = {}
    quantity = (line.quantity or "").strip()
    if not quantity:
        wrong.append(ErrorDetail("quantity", "fill this in."))
    elif not _QUANTITY.fullmatch(quantity):
        wrong.append(ErrorDetail("quantity", "use a number with at most three decimals, such as 2.5."))
    else:
        given["quantity"] = quantity.replace(",", ".")
    if line.item_id:
        given["itemId"] = line.item_id
    elif _is_code_alone(line):
        item = by_code.get(line.code or "")
        if item is None:
            wrong.append(ErrorDetail("code", "the schedule has no rate with this code."))
        else:
            given["itemId"] = item.id
    else:
        _add_star_rate(line, given, wrong)
    refuse_faults(wrong)
    try:
        return msgspec.convert(given, NewLineItem)
    except msgspec.ValidationError as error:
        raise invalid(NewLineItem, given, error) from None


def _add_star_rate(line: LineForm, given: dict[str, Any], wrong: list[ErrorDetail]) -> None:
    if line.code:
        given["code"] = line.code.strip()
    for name in ("description", "unit"):
        if text := getattr(line, name):
            given[name] = text
        else:
            wrong.append(ErrorDetail(name, "fill this in."))
    cents = cents_of(line.rate or "")
    if cents is None:
        wrong.append(ErrorDetail("rate", "use an amount such as 42.50."))
    else:
        given["rateCents"] = cents


def as_the_form_calls_it(problem: Invalid, lines: Sequence[LineForm]) -> Invalid:
    """The quotation's refusals, at their fields."""
    kept = [index for index, line in enumerate(lines) if not line.remove]

    def place(field: str) -> str:
        found = _PLACE.fullmatch(field)
        return f"lineItems.{kept[int(found[1])]}.{_NAMES.get(found[2], found[2])}" if found else field

    return Invalid.of(
        ErrorDetail(place(detail.field), _REQUIRED.sub("fill this in.", detail.message))
        for detail in problem.details
    )


def stored_lines(lines: Iterable[LineItem]) -> list[Line]:
    return [
        made_from(
            Line,
            line,
            item_id=line.item_id or "",
            code=line.code or "",
            quantity=quantity_text(line.quantity),
            rate=money_input(line.rate_cents),
        )
        for line in lines
    ]


def line_again(row: Mapping[str, str], items: Mapping[str, RateItem]) -> Line:
    item = items.get(row.get("itemId", ""))
    text = row.get("quantity", "").strip()
    quantity = thousandths(Decimal(text.replace(",", "."))) if _QUANTITY.fullmatch(text) else None
    cents = item.rate_cents if item else cents_of(row.get("rate", ""))
    known = quantity is not None and cents is not None
    return Line(
        item_id=item.id if item else "",
        code=item.code if item else row.get("code", ""),
        description=item.description if item else row.get("description", ""),
        unit=item.unit if item else row.get("unit", ""),
        quantity=row.get("quantity", ""),
        rate=money_input(item.rate_cents) if item else row.get("rate", ""),
        rate_cents=cents,
        amount_cents=amount(quantity or 0, cents or 0) if known else None,
    )
