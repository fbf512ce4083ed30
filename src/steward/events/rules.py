from steward.events.model import EventTypeDescription
from steward.kit.events import event_types as events
from steward.kit.events.event_types import EventType


def catalogue() -> list[EventTypeDescription]:
    return [_described(kind) for kind in sorted(events.ALL.values(), key=lambda kind: kind.name)]


def _described(kind: EventType) -> EventTypeDescription:
    fields = list(kind.payload.__struct_encode_fields__)
    return EventTypeDescription(kind.name, kind.when, fields, kind.previous is not None)
