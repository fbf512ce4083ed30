"""Event types, alone (`workorder.created`), in groups (`workorder.*`) or all of them (`*`)."""

from collections.abc import Iterable

from steward.kit.domain.problems import ErrorDetail, Invalid
from steward.kit.events import event_types as events

EVERYTHING = "*"
_GROUP = ".*"


def matches(pattern: str, name: str) -> bool:
    if pattern.endswith(_GROUP):
        return name.startswith(pattern.removesuffix("*"))
    return pattern in {EVERYTHING, name}


def expand(patterns: Iterable[str]) -> list[str]:
    """The exact types behind these patterns."""
    wanted = list(patterns)
    return sorted(name for name in events.ALL if any(matches(pattern, name) for pattern in wanted))


def groups() -> list[str]:
    """Every pattern that stands for more types than one: what a new type may fall under."""
    names = [name.split(".") for name in events.ALL]
    return [
        EVERYTHING,
        *sorted({".".join(parts[:n]) + _GROUP for parts in names for n in range(1, len(parts))}),
    ]


def require_known(patterns: Iterable[tuple[str, str]]) -> None:
    """Pairs of a field and a pattern; 422 that names every one which stands for nothing, and lists what there is."""
    known = {*events.ALL, *groups()}
    if unknown := [(field, given) for field, given in patterns if given not in known]:
        valid = ", ".join([*groups(), *sorted(events.ALL)])
        raise Invalid.of(
            ErrorDetail(field, f"“{given}” is not an event type; valid are {valid}")
            for field, given in unknown
        )
