"""Pure: the time that a chart shows, as the address of its page says it."""

from collections.abc import Mapping
from datetime import datetime, tzinfo

import msgspec

from steward.kit.domain.problems import ErrorDetail, Invalid

_DAY = 86_400
SPANS = {"24h": _DAY, "7d": 7 * _DAY, "30d": 30 * _DAY}
OWN = "own"
_LATEST = 2**40


class TimeRange(msgspec.Struct, frozen=True):
    """`name` is one of SPANS, which end now, or OWN."""

    name: str
    start: int
    end: int


def time_range(arguments: Mapping[str, str], zone: tzinfo, now: int) -> TimeRange:
    """`?range=7d`, or `?range=own&from=…&to=…` with the wall clock of the person in front of the browser."""
    name = arguments.get("range", "24h")
    if name in SPANS:
        # Until now includes the second that has begun.
        return TimeRange(name, now + 1 - SPANS[name], now + 1)
    if name != OWN:
        raise Invalid("range", f"must be one of {', '.join([*SPANS, OWN])}")
    found = {field: moment_of(arguments.get(field, ""), zone) for field in ("from", "to")}
    wrong = [
        ErrorDetail(field, "must be a day and a time") for field, moment in found.items() if moment is None
    ]
    if wrong:
        raise Invalid.of(wrong)
    start, end = found["from"] or 0, found["to"] or 0
    if start >= end:
        raise Invalid("to", "must be later than the beginning")
    return TimeRange(OWN, start, end)


def moment_of(text: str, zone: tzinfo) -> int | None:
    """What a field for a day and a time sends, on the wall clock of who fills it in; None where it is neither."""
    try:
        seconds = int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp())
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < _LATEST else None
