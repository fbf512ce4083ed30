"""What callers say in headers of the versions that they know."""

import re

from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http import compression

_STRONG = re.compile(r'"[^"]*"')


def precondition(if_match: str | None) -> Precondition:
    """What an If-Match asks for. Only strong validators name a version; `*` is any."""
    if if_match is None or if_match.strip() == "*":
        return UNCONDITIONAL
    return Precondition(tags(if_match))


def tags(header: str) -> tuple[str, ...]:
    """The versions that a header names, packed or not; none with `*`."""
    parts = (compression.unpacked_tag(part.strip()) for part in header.split(","))
    return tuple(part[1:-1] for part in parts if _STRONG.fullmatch(part))
