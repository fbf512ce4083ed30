"""Reads the versions that callers name in If-Match and If-None-Match."""

import re

from steward.kit.domain.versions import UNCONDITIONAL, Precondition
from steward.kit.http import compression

_STRONG = re.compile(r'"[^"]*"')


def precondition(if_match: str | None) -> Precondition:
    """The precondition of an If-Match. Only strong validators name a version; `*` is any."""
    if if_match is None or if_match.strip() == "*":
        return UNCONDITIONAL
    return Precondition(tags(if_match))


def tags(header: str) -> tuple[str, ...]:
    """The versions in a header, of compressed representations too; none for `*`."""
    parts = (compression.unpacked_tag(part.strip()) for part in header.split(","))
    return tuple(part[1:-1] for part in parts if _STRONG.fullmatch(part))
