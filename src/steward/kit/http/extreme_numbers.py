"""Refuses JSON with many numbers beyond 1e±99: the decoder takes a hundred times as long for some of them as for others."""

import re
from itertools import islice

from steward.kit.domain.problems import BadRequest

MOST = 200
# As they appear in lists and objects; in texts such patterns are rare.
_EXTREME = re.compile(rb"[][:,\s]-?+[0-9][0-9.]*+[eE][-+]?+0*+[1-9][0-9]{2}")
_SHORTEST = len(b",1e100")
# Their exponents alone are faster to find, but may appear in texts.
_EXPONENT = re.compile(rb"[eE][-+]?+0*+[1-9][0-9]{2}")


def refuse_extreme_numbers(text: bytes) -> None:
    """Short bodies can't hold many."""
    if len(text) <= MOST * _SHORTEST:
        return
    if _has_many(_EXPONENT, text) and _has_many(_EXTREME, text):
        raise BadRequest(f"The body holds more than {MOST} numbers beyond 1e99 or 1e-99.")


def _has_many(pattern: re.Pattern[bytes], text: bytes) -> bool:
    return next(islice(pattern.finditer(text), MOST, None), None) is not None
