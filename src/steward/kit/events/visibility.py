"""Events follow records: who may read a record may read the events that show it, and nobody else.

Each event type says which permission that is (`EventType.permission`). List, feed, exports, webhooks, delivery log and replays all ask here.
"""

from collections.abc import Iterable

from steward.kit.domain.problems import Forbidden
from steward.kit.events import event_types as events
from steward.kit.events.patterns import expand, groups
from steward.kit.security.permissions import Permission

Held = frozenset[Permission]


def readable_types(held: Held) -> set[str]:
    return {name for name, kind in events.ALL.items() if kind.permission in held}


def reads_everything(held: Held) -> bool:
    """Whether a caller with these permissions sees all events."""
    return all(kind.permission in held for kind in events.ALL.values())


def may_read(type: str | None, held: Held) -> bool:
    """A type that this version doesn't know, or an event that is kept no more, is for those who may read every type."""
    kind = events.ALL.get(type or "")
    return reads_everything(held) if kind is None else kind.permission in held


def visible_types(patterns: Iterable[str], held: Held) -> list[str]:
    """The exact types behind these patterns, as far as the caller may read them. 403 for a type by name that they may not
    read, and for a group of which they may read nothing."""
    readable = readable_types(held)
    found: set[str] = set()
    for pattern in patterns:
        types = expand([pattern])
        if types and readable.isdisjoint(types):
            raise Forbidden(_refusal(pattern, types))
        found |= readable & set(types)
    return sorted(found)


def readable_patterns(held: Held) -> list[str]:
    """The groups and types of which at least one may be read, for people to choose from."""
    readable = readable_types(held)
    return [name for name in (*groups(), *sorted(events.ALL)) if not readable.isdisjoint(expand([name]))]


def hidden_types(types: Iterable[str], held: Held) -> list[str]:
    return sorted(name for name in types if not may_read(name, held))


def needed_permissions(types: Iterable[str]) -> list[Permission]:
    return sorted({events.ALL[name].permission for name in types if name in events.ALL})


def _refusal(pattern: str, types: Iterable[str]) -> str:
    needed = " or ".join(needed_permissions(types))
    return f"Forbidden: reading events of the type {pattern} needs the permission {needed}."
