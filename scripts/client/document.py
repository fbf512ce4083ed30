"""openapi.json as operations and schemas, with names in Python."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.client.names import group_module, method_name

Schema = dict[str, Any]
SHARED = "shared"
EVENT_OBJECTS = "event_objects"


@dataclass(frozen=True)
class Operation:
    id: str
    tag: str
    method: str
    path: str
    name: str
    raw: Schema

    def parameters(self, place: str) -> list[Schema]:
        return [one for one in self.raw.get("parameters", []) if one["in"] == place]

    @property
    def body(self) -> Schema | None:
        """The schema of a JSON body."""
        content = self.raw.get("requestBody", {}).get("content", {})
        found: Schema | None = content.get("application/json", {}).get("schema")
        return found

    @property
    def takes_file(self) -> bool:
        return "text/csv" in self.raw.get("requestBody", {}).get("content", {})

    @property
    def answer(self) -> tuple[str, Schema]:
        """Content type and schema of a success."""
        response = next(value for status, value in self.raw["responses"].items() if status[0] == "2")
        ((kind, content),) = response["content"].items()
        return kind, content["schema"]


class Document:
    def __init__(self, path: Path) -> None:
        raw = json.loads(path.read_text(encoding="utf-8"))
        self.schemas: dict[str, Schema] = raw["components"]["schemas"]
        self.operations = sorted(_operations(raw), key=lambda one: (one.tag, one.path, one.method))
        self.tags = sorted({one.tag for one in self.operations})
        self.event_objects = {
            name: ref_name(_event_object(hook)) for name, hook in sorted(raw["webhooks"].items())
        }
        self._places = self._find_places()
        answers = [one.answer[1] for one in self.operations]
        self.read = self._reachable(answers)

    def resolve(self, schema: Schema) -> Schema:
        return self.schemas[ref_name(schema)] if "$ref" in schema else schema

    def place(self, name: str) -> str | None:
        """The module that a model is in: that of the only group which uses it, or the shared one."""
        return self._places.get(name)

    def _find_places(self) -> dict[str, str]:
        groups: dict[str, set[str]] = {}
        for one in self.operations:
            parts: list[Any] = [one.raw.get("parameters"), one.raw.get("requestBody"), one.answer[1]]
            for name in self._reachable(parts):
                groups.setdefault(name, set()).add(group_module(one.tag))
        places = {name: users.pop() if len(users) == 1 else SHARED for name, users in groups.items()}
        for name in self._reachable([{"$ref": f"#/{name}"} for name in self.event_objects.values()]):
            places.setdefault(name, EVENT_OBJECTS)
        return {name: place for name, place in places.items() if not is_wrapper(self.schemas[name])}

    def _reachable(self, parts: list[Any]) -> set[str]:
        found: set[str] = set()
        open_names = list(references(parts))
        while open_names:
            name = open_names.pop()
            if name not in found:
                found.add(name)
                open_names += references(self.schemas[name])
        return found


def is_wrapper(schema: Schema) -> bool:
    """`{"data": …}`: pages, answers and deletions, which the client unwraps."""
    extra = set(schema.get("properties", {})) - {"data", "requestId", "lastEvaluatedKey"}
    return schema.get("type") == "object" and "data" in schema.get("properties", {}) and not extra


def ref_name(schema: Schema) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    return name


def references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if "$ref" in part:
            yield ref_name(part)
        for value in part.values():
            yield from references(value)
    elif isinstance(part, list):
        for value in part:
            yield from references(value)


def _operations(raw: Schema) -> Iterator[Operation]:
    for path, item in raw["paths"].items():
        for method, operation in item.items():
            (tag,) = operation["tags"]
            id = operation["operationId"]
            name = method_name(id, tag, method.upper(), path)
            yield Operation(id, tag, method.upper(), path, name, operation)


def _event_object(hook: Schema) -> Schema:
    body = hook["post"]["requestBody"]["content"]["application/json"]["schema"]
    found: Schema = body["properties"]["data"]["properties"]["object"]
    return found
