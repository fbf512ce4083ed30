"""What an event is about, as a typed record."""

from collections.abc import Mapping
from typing import Any

import msgspec

from ._answers import Model
from .models import Event
from .models.event_objects import OBJECTS


def event_object(event: Event | Mapping[str, Any]) -> Model | dict[str, Any]:
    """`data.object` of an event of the feed, or of a webhook; as it is where its type is newer than this client."""
    if isinstance(event, Event):
        kind, found = event.type, event.data.object
    else:
        kind, found = event["type"], event["data"]["object"]
    model = OBJECTS.get(kind)
    return found if model is None else msgspec.convert(found, model)
