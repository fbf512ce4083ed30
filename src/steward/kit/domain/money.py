"""Amounts of money as people write them: whole cents within, two decimals outside, in no country's own way."""

import re

# Thousands are separated by a narrow space, which can't be mistaken for a decimal sign.
_GROUP = "\N{NARROW NO-BREAK SPACE}"
_WRITTEN = re.compile(r"([0-9]{1,11})(?:[.,]([0-9]{1,2}))?")


def money(cents: int) -> str:
    """123450 → `1 234.50`."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}".replace(",", _GROUP) + f".{rest:02}"


def money_input(cents: int) -> str:
    """The text of a form field: without separators."""
    return money(cents).replace(_GROUP, "")


def cents_of(text: str) -> int | None:
    """An amount as people type it, with a point or a comma and up to two decimals; None if it is none."""
    found = _WRITTEN.fullmatch("".join(text.split()))
    return None if found is None else int(found[1]) * 100 + int((found[2] or "").ljust(2, "0"))
