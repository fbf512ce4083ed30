"""Pure: the repeated rows of a form."""

from collections.abc import Mapping
from typing import Any

from steward.kit.web.form import SubmittedForm

# No form has more rows.
_MAX_DIGITS = 6


def sent_rows(form: SubmittedForm[Any], name: str) -> list[dict[str, str]] | None:
    """`name.4.key`, `name.4.value` … as they were sent, without rows that were left blank: the same rows, by the same
    numbers, that errors are about. None where the form wasn't sent."""
    if not form.sent:
        return None
    rows: dict[int, dict[str, str]] = {}
    for key, values in form.sent.items():
        first, _, rest = key.partition(".")
        number, _, field = rest.partition(".")
        if first == name and number.isdecimal() and len(number) <= _MAX_DIGITS and field:
            rows.setdefault(int(number), {})[field] = values[-1]
    return [rows[number] for number in sorted(rows) if _filled(rows[number])]


def _filled(row: Mapping[str, str]) -> bool:
    return any(value.strip() for value in row.values())
