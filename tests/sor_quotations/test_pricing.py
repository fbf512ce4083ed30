"""Amounts against exact fractions."""

from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steward.kit.domain.problems import Invalid
from steward.sor_quotations.model import EXAMPLE, NewLineItem
from steward.sor_quotations.pricing import MAX_AMOUNT_CENTS, amount, priced, thousandths
from steward.sor_quotations.rules import with_lines
from steward.sor_schedules.items.model import EXAMPLE as ITEM_EXAMPLE
from steward.sor_schedules.items.model import MAX_RATE_CENTS

quantities = st.integers(1, 10**12 - 1)
rates = st.integers(0, MAX_RATE_CENTS)


def star(quantity: Decimal, rate: int) -> NewLineItem:
    return NewLineItem(quantity=quantity, description="Labour", unit="h", rate_cents=rate)


@given(quantities, rates)
def test_an_amount_is_rounded_half_up(quantity: int, rate: int) -> None:
    exact = Fraction(quantity, 1000) * rate
    assert amount(quantity, rate) == floor(exact + Fraction(1, 2))
    assert abs(amount(quantity, rate) - exact) <= Fraction(1, 2)


@pytest.mark.parametrize(
    ("quantity", "rate", "cents"),
    [("0.5", 1, 1), ("0.499", 1, 0), ("1.5", 1, 2), ("2.5", 1, 3), ("1.005", 100, 101), ("1.004", 100, 100)],
)
def test_half_a_cent_goes_up(quantity: str, rate: int, cents: int) -> None:
    assert priced([star(Decimal(quantity), rate)], {})[0].amount_cents == cents


@given(quantities)
def test_a_quantity_shows_the_decimals_that_were_sent(quantity: int) -> None:
    sent = Decimal(quantity).scaleb(-3)
    assert thousandths(sent) == quantity
    assert Decimal(repr(priced([star(sent, 0)], {})[0].quantity)) == sent


@given(st.decimals(allow_nan=True, allow_infinity=True))
def test_nothing_is_rounded_into_a_quantity(sent: Decimal) -> None:
    found = thousandths(sent)
    if found is None:
        assert not sent.is_finite() or sent <= 0 or sent >= 10**9 or (Fraction(sent) * 1000).denominator > 1
    else:
        assert Fraction(sent) == Fraction(found, 1000) > 0


@given(st.lists(st.tuples(st.integers(1, 10**4), rates), max_size=20))
def test_the_total_is_the_sum_of_the_lines(lines: list[tuple[int, int]]) -> None:
    made = priced([star(Decimal(quantity).scaleb(-3), rate) for quantity, rate in lines], {})
    quotation = with_lines(EXAMPLE, made)
    assert quotation.total_amount_cents == sum(amount(*line) for line in lines)
    assert quotation.line_item_count == len(lines)


@given(quantities, rates)
def test_the_total_of_a_line_is_bounded(quantity: int, rate: int) -> None:
    line = star(Decimal(quantity).scaleb(-3), rate)
    if amount(quantity, rate) > MAX_AMOUNT_CENTS:
        with pytest.raises(Invalid):
            priced([line], {})
    else:
        assert priced([line], {})[0].amount_cents <= MAX_AMOUNT_CENTS


def test_500_of_the_largest_lines_are_an_integer_that_every_reader_holds() -> None:
    assert 500 * MAX_AMOUNT_CENTS < 2**53


def test_all_errors_are_reported_at_once() -> None:
    lines = [
        NewLineItem(quantity=Decimal(0), item_id="soi_nothing"),
        NewLineItem(quantity=Decimal(1), item_id=ITEM_EXAMPLE.id, rate_cents=1),
        NewLineItem(quantity=Decimal(1), unit="h"),
        NewLineItem(quantity=Decimal(1), item_id=ITEM_EXAMPLE.id),
    ]
    with pytest.raises(Invalid) as refused:
        priced(lines, {ITEM_EXAMPLE.id: ITEM_EXAMPLE})
    assert [detail.field for detail in refused.value.details] == [
        "lineItems[0].quantity",
        "lineItems[0].itemId",
        "lineItems[1].rateCents",
        "lineItems[2].description",
        "lineItems[2].rateCents",
    ]
