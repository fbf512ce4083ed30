import pytest

from steward.kit.domain.money import cents_of, money, money_input

_NARROW = "\u202f"


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "0.00"),
        (5, "0.05"),
        (4250, "42.50"),
        (123450, f"1{_NARROW}234.50"),
        (10**12, f"10{_NARROW}000{_NARROW}000{_NARROW}000.00"),
        (-4250, "-42.50"),
    ],
)
def test_cents_are_formatted_with_a_point_and_two_decimals(cents: int, text: str) -> None:
    assert money(cents) == text


@pytest.mark.parametrize("cents", [0, 5, 99, 4250, 123450, 10**12])
def test_field_values_can_be_parsed_again(cents: int) -> None:
    assert cents_of(money_input(cents)) == cents
    assert cents_of(money(cents)) == cents


@pytest.mark.parametrize(("text", "cents"), [("42", 4200), ("42,5", 4250), (" 42.05 ", 4205), ("0.5", 50)])
def test_an_amount_is_typed_with_a_point_or_a_comma(text: str, cents: int) -> None:
    assert cents_of(text) == cents


@pytest.mark.parametrize("text", ["", "-1", "1.005", "1,000.00", "1.", ".5", "1e3", "٤٢", "42 €", "9" * 12])
def test_invalid_amounts_are_refused(text: str) -> None:
    assert cents_of(text) is None
