import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, TypeVar, get_args

import msgspec

from steward.events.model import Change, EventTypeDescription, HistoryEntry, StoredEvent
from steward.kit.domain.fields import Seconds
from steward.kit.events import event_types as events
from steward.kit.events.actor import read_actor
from steward.kit.events.event_types import EventType
from steward.kit.events.patterns import EVERYTHING, expand, require_known
from steward.kit.events.visibility import readable_types, reads_everything, visible_types
from steward.kit.security.caller import SYNC_FIELDS, Caller, OwnOnly

# A list's query, or its export's, with the filter `type`.
Q = TypeVar("Q", bound=Any)

_CAPITALS = re.compile(r"[A-Z]")
# By this a field's type shows that it holds a moment.
_UNIX_SECONDS = get_args(Seconds)[1]
# One reading a minute is no history; charts show it.
_TOO_MANY = frozenset({"asset.telemetry.updated"})


def wanted_types(who: Caller, patterns: list[str] | None) -> list[str] | None:
    """The exact types among these that the caller may read; None for all.

    422 for a pattern that matches no type, 403 for one whose types the caller may not read.
    """
    if patterns is None:
        return None if reads_everything(who.permissions) else sorted(readable_types(who.permissions))
    require_known(("type", pattern) for pattern in patterns)
    return visible_types(patterns, who.permissions)


def visible_query(who: Caller, query: Q) -> Q:
    """Narrows the query to what the caller may read."""
    types = wanted_types(who, query.type)
    if types is None or types == expand(query.type or [EVERYTHING]):
        return query
    return msgspec.structs.replace(query, type=types)


def catalogue() -> list[EventTypeDescription]:
    return [_described(kind) for kind in sorted(events.ALL.values(), key=lambda kind: kind.name)]


def _described(kind: EventType) -> EventTypeDescription:
    fields = list(kind.payload.__struct_encode_fields__)
    return EventTypeDescription(kind.name, kind.when, fields, kind.previous is not None, kind.permission)


def description(type: str) -> str | None:
    """The event's description; None for a type that no longer exists."""
    kind = events.ALL.get(type)
    return None if kind is None else kind.when


def label(type: str) -> str:
    """`workorder.status.changed` → `workorder: status changed`."""
    noun, *rest = type.split(".")
    return f"{noun}: {' '.join(rest)}"


def by_group(types: Iterable[EventTypeDescription]) -> dict[str, list[EventTypeDescription]]:
    """`asset.*` → its types."""
    groups: dict[str, list[EventTypeDescription]] = {}
    for kind in types:
        groups.setdefault(f"{kind.type.partition('.')[0]}.*", []).append(kind)
    return groups


def with_actor(body: str, actor: str | None) -> str:
    """The stored body, with the actor as its last member."""
    return f'{body[:-1]},"actor":{msgspec.json.encode(read_actor(actor)).decode()}}}'


def history(events: Iterable[tuple[bytes, str | None]], own: OwnOnly | None = None) -> list[HistoryEntry]:
    """Stored events in words.

    Left out are fields that follow from others or are shown elsewhere on the page, and fields that the caller
    may not see.
    """
    entries = []
    for body, actor in events:
        event = msgspec.json.decode(body, type=StoredEvent)
        if event.type in _TOO_MANY or not _is_shown(event, own):
            continue
        after, moments = event.data.object, _moments(event.type)
        changes = [
            Change(_words(field), before, after.get(field), field in after, field in moments)
            for field, before in _changed(event, own).items()
            if _is_plain(before) and _is_plain(after.get(field))
        ]
        entries.append(HistoryEntry(event.created, _title(event.type), changes, read_actor(actor)))
    return entries


def _changed(event: StoredEvent, own: OwnOnly | None = None) -> dict[str, Any]:
    """The changed fields with their previous values, as far as they are shown."""
    hidden = () if own is None or own.sees_sync_fields else SYNC_FIELDS.values()
    after = event.data.object
    return {
        field: before
        for field, before in (event.data.previous_attributes or {}).items()
        if field not in hidden and (field not in after or before != after[field])
    }


@lru_cache
def _moments(type: str) -> frozenset[str]:
    """The fields of an event's record that are Unix seconds; none for a type that no longer exists."""
    kind = events.ALL.get(type)
    known = () if kind is None else msgspec.structs.fields(kind.example)
    return frozenset(field.encode_name for field in known if _is_moment(field.type))


def _is_moment(annotation: Any) -> bool:
    return any(part is _UNIX_SECONDS or _is_moment(part) for part in get_args(annotation))


def _is_shown(event: StoredEvent, own: OwnOnly | None) -> bool:
    """False if all its changes are hidden from the caller, or if it is a team comment."""
    comment = event.data.object.get("comment")
    if own is not None and isinstance(comment, dict) and comment.get("visibility") != "reporter":
        return False
    return bool(_changed(event, own)) or not _changed(event)


def mentioned(entries: Collection[HistoryEntry], prefix: str) -> set[str]:
    """The identifiers with this prefix among the changes and actors."""
    values = [
        value for entry in entries for change in entry.changes for value in (change.before, change.after)
    ]
    values += [entry.actor.id for entry in entries if entry.actor is not None]
    return {value for value in values if isinstance(value, str) and value.startswith(f"{prefix}_")}


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _title(type: str) -> str:
    """`workorder.status.changed` → `Status changed`."""
    return _words(" ".join(type.split(".")[1:]))


def _words(name: str) -> str:
    """`slaResolutionDeadline` → `SLA resolution deadline`; an identifier is named by its record."""
    words = (
        _CAPITALS.sub(lambda found: f" {found[0].lower()}", name.removesuffix("Id")).replace("_", " ").strip()
    )
    return words[:1].upper() + words[1:] if not words.startswith("sla") else f"SLA{words[3:]}"
