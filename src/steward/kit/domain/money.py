"""Amounts of money as people write them: whole cents within, two decimals outside, in no country's own way."""

import re

# A thousand is set apart by a narrow space, which nobody takes for a decimal sign.
_GROUP = "\N{NARROW NO-BREAK SPACE}"
_WRITTEN = re.compile(r"([0-9]{1,11})(?:[.,]([0-9]{1,2}))?")


def money(cents: int) -> str:
    """123450 → `1 234.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}".replace(",", _GROUP) + f".{rest:02}"


def money_input(cents: int) -> str:
    """What stands in a field: without anything that would have to be taken out again."""
    return money(cents).replace(_GROUP, "")


def cents_of(text: str) -> int | None:
    """What somebody typed, with a point or a comma before at most two decimals; None when it is no amount."""
    found = _WRITTEN.fullmatch("".join(text.split()))
    return None if found is None else int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))
