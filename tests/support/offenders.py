"""How a test of everything at once tells what is wrong: with every offender, not only the first."""

from collections.abc import Iterable


def listed(offenders: Iterable[object]) -> str:
    """One per line, as the message of `assert offenders == []`: by itself pytest shows the first few only."""
    return "\n".join(["", *map(str, offenders)])
