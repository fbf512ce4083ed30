"""Pairs of fields that are the beginning and the end of a time range, in queries and bodies: no range ends before it begins."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec

from steward.kit.domain.problems import ErrorDetail, Invalid

# How the name of the first field ends, and how that of the second one does.
_ENDINGS = (
    ("from", "to"),
    ("From", "To"),
    ("since", "until"),
    ("Since", "Until"),
    ("After", "Before"),
    ("startTime", "endTime"),
)
_NUMBER = re.compile(r"\d{1,18}")


def check_range(
    start: int, end: int, *, longest: int | None = None, fields: tuple[str, str] = ("from", "to")
) -> None:
    """422 for a range that is empty or reversed, or longer than so many seconds, which are whole days."""
    first, second = fields
    if end <= start:
        raise Invalid(second, f"must be later than {first}")
    if longest is not None and end - start > longest:
        raise Invalid(second, f"must be at most {longest // 86_400} days later than {first}")


def reversed_ranges(model: type[msgspec.Struct], given: Mapping[str, Any]) -> Iterator[ErrorDetail]:
    """In a value as it was sent, numbers may be text, as in a query; other values are refused elsewhere."""
    for first, second in pairs(model):
        start, end = _moment(given.get(first)), _moment(given.get(second))
        if start is not None and end is not None and end < start:
            yield _fault(first, second)


def reversed_fields(value: msgspec.Struct) -> list[ErrorDetail]:
    """The same for a decoded value."""
    known = _fields(type(value))
    return [
        _fault(first, second)
        for first, second in pairs(type(value))
        if isinstance(start := getattr(value, known[first]), int)
        and isinstance(end := getattr(value, known[second]), int)
        and end < start
    ]


@cache
def pairs(model: type[msgspec.Struct]) -> tuple[tuple[str, str], ...]:
    """By their names in the API."""
    names = set(_fields(model))
    found = (
        (name, name.removesuffix(start) + end)
        for name in sorted(names)
        for start, end in _ENDINGS
        if name.endswith(start)
    )
    return tuple((first, second) for first, second in found if second in names)


@cache
def _fields(model: type[msgspec.Struct]) -> dict[str, str]:
    return dict(zip(model.__struct_encode_fields__, model.__struct_fields__, strict=True))


def _fault(first: str, second: str) -> ErrorDetail:
    return ErrorDetail(second, f"must be later than {first}")


def _moment(value: Any) -> int | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and abs(value) < 1e18 else None
