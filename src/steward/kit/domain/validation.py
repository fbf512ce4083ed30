"""Turns what msgspec says of a wrong value into a problem that names the field."""

import re
from collections.abc import Mapping

import msgspec

from steward.kit.domain.problems import Invalid

_AT = " - at "
_PLACE = re.compile(r" - at (?:`key` in )?`\$\.?(.*)`$", re.DOTALL)
_NAMED = re.compile(r"field `([^`]+)`")


def invalid(
    error: msgspec.ValidationError, noun: str = "field", not_taken: Mapping[str, str] | None = None
) -> Invalid:
    """msgspec says what is wrong and where in one sentence; the API says it in two places.

    `not_taken` says more about fields that the caller may well know and yet can't set.
    """
    text = str(error)
    # Where it stands comes last. What a caller wrote may hold the same words, any number of times.
    last = text.rfind(_AT)
    place = _PLACE.match(text, last) if last >= 0 else None
    path = place[1] if place else ""
    if place:
        text = text[: place.start()]
    named = _NAMED.search(text)
    if named:
        path = f"{path}.{named[1]}" if path else named[1]
        unknown = (not_taken or {}).get(path, f"is not a {noun} that this takes")
        text = "is required" if "missing" in text else unknown
    return Invalid(path, text[0].lower() + text[1:] if path else text)
