"""The `webhooks` section: every event type with the schema of its payload and an example."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from steward.kit.events.event_types import EventType

Json = dict[str, Any]


def section(types: Iterable[EventType], references: Mapping[str, Json]) -> Json:
    return {kind.name: {"post": _operation(kind, references[kind.name])} for kind in types}


def _operation(kind: EventType, payload: Json) -> Json:
    return {
        "summary": kind.when,
        "description": f"Needs the permission `{kind.permission}`.",
        "operationId": f"on {kind.name}",
        "tags": ["Webhooks"],
        "requestBody": {
            "content": {
                "application/json": {
                    "schema": _envelope(kind, payload),
                    "example": msgspec.json.decode(kind.example_body()),
                }
            }
        },
        "responses": {"2XX": {"description": "Received; anything else is tried again."}},
    }


def _envelope(kind: EventType, payload: Json) -> Json:
    data: Json = {"object": payload}
    if kind.previous is not None:
        data["previousAttributes"] = {
            "type": "object",
            "description": "The changed fields with the values they had.",
        }
    properties = {
        "id": {"type": "string", "description": "The same on every attempt; deduplicate on it."},
        "type": {"const": kind.name},
        "organizationId": {"type": "string"},
        "created": {"type": "integer", "description": "Unix seconds."},
        "data": {"type": "object", "properties": data, "required": list(data)},
        "livemode": {"type": "boolean"},
        **{name: {"const": value} for name, value in kind.marks.items()},
    }
    return {"type": "object", "properties": properties, "required": list(properties)}
