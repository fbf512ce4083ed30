"""The API reference, as people read it, made from the OpenAPI document."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from steward.web.schemas import Json, SchemaField, Schemas
from steward.web.snippets import ExampleCall, Snippet, pretty, snippets

# The order of the domain; a tag that isn't named here comes at the end.
SECTIONS = {
    "Who": ("Organizations", "Users", "Roles", "API keys"),
    "Where": ("Locations",),
    "Devices": ("Asset types", "Assets", "Telemetry", "Commands"),
    "What is known": ("Alert rules", "Alerts", "Forms", "Decks"),
    "Work": ("Work orders",),
    "Bookings": ("Bookable resources", "Bookings"),
    "Visitors": ("Visitors",),
    "Rates": ("Schedules of rates", "Quotations"),
    "Publishing": ("Events", "Webhooks"),
    "The service": ("Health", "Tokens (deprecated)"),
}
OTHER = "More"

_METHODS = ("get", "post", "put", "patch", "delete")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_ORDER = {tag: number for number, tag in enumerate(tag for tags in SECTIONS.values() for tag in tags)}
_SECTION = {tag: section for section, tags in SECTIONS.items() for tag in tags}


class OperationResponse(msgspec.Struct, frozen=True):
    """One answer that an operation can give."""

    status: str
    description: str
    fields: list[SchemaField]
    example: str | None
    schema: str | None


class Operation(msgspec.Struct, frozen=True):
    anchor: str
    method: str
    path: str
    summary: str
    description: str
    deprecated: bool
    public: bool
    parameters: list[tuple[str, SchemaField]]
    body: list[SchemaField]
    body_schema: str | None
    body_type: str
    body_example: str | None
    snippets: list[Snippet]
    successes: list[OperationResponse]
    refusals: list[OperationResponse]


class OperationGroup(msgspec.Struct, frozen=True):
    """The operations of one tag: a page of the reference."""

    slug: str
    name: str
    section: str
    description: str
    operations: list[Operation]

    @property
    def path(self) -> str:
        return _group_path(self.slug)


class EventReference(msgspec.Struct, frozen=True):
    """What a webhook is sent."""

    anchor: str
    type: str
    summary: str
    description: str
    fields: list[SchemaField]
    example: str | None


class SchemaReference(msgspec.Struct, frozen=True):
    """A named schema: what it holds, with links to what that holds in turn."""

    name: str
    type: str
    description: str
    fields: list[SchemaField]
    choices: list[str]


def groups(document: Json) -> list[OperationGroup]:
    reader = _Reader(document)
    by_tag: dict[str, list[Operation]] = {}
    described = {tag["name"]: tag.get("description", "") for tag in document.get("tags", ())}
    for tag, method, path, node in _operations(document):
        by_tag.setdefault(tag, []).append(reader.operation(method, path, node))
    found = [
        OperationGroup(_anchor(tag), tag, _SECTION.get(tag, OTHER), described.get(tag, ""), operations)
        for tag, operations in by_tag.items()
    ]
    return sorted(found, key=_place)


def group_paths(document: Json) -> list[str]:
    """Where the groups have their pages; much cheaper than reading all operations."""
    return list(dict.fromkeys(_group_path(_anchor(tag)) for tag, *_ in _operations(document)))


def _operations(document: Json) -> Iterator[tuple[str, str, str, Json]]:
    """Tag, method, path and description of each."""
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                yield next(iter(methods[method].get("tags", ())), "Other"), method, path, methods[method]


def _group_path(slug: str) -> str:
    return f"/docs/api/{slug}"


def _place(group: OperationGroup) -> tuple[int, bool]:
    """What an API key opens comes first; what is open to everyone is looked up, not read."""
    return _ORDER.get(group.name, len(_ORDER)), all(operation.public for operation in group.operations)


def events(document: Json) -> list[EventReference]:
    reader = _Reader(document)
    return [reader.event(name, item["post"]) for name, item in document.get("webhooks", {}).items()]


def schemas(document: Json) -> list[SchemaReference]:
    """Those that an operation or an event uses, by name."""
    reader = Schemas(document)
    return [
        SchemaReference(
            name=name,
            type=reader.type_of(reader.named(name)),
            description=reader.named(name).get("description", ""),
            fields=reader.fields(reader.named(name), max_depth=0),
            choices=[str(choice) for choice in reader.named(name).get("enum", ())],
        )
        for name in sorted(reader.used_names(), key=str.lower)
    ]


class _Reader:
    def __init__(self, document: Json) -> None:
        self._schemas = Schemas(document)
        self._named_responses: dict[tuple[str, str], OperationResponse] = {}

    def operation(self, method: str, path: str, node: Json) -> Operation:
        parameters = [self._schemas.resolve(parameter) for parameter in node.get("parameters", ())]
        content_type, body = self._content(node.get("requestBody", {}))
        public = node.get("security") == []
        responses = [self._response(status, response) for status, response in node["responses"].items()]
        example = _example(body)
        call = ExampleCall(method.upper(), path, self._query(parameters), example, content_type, public)
        return Operation(
            anchor=node.get("operationId") or _anchor(method, path),
            method=method.upper(),
            path=path,
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            deprecated=node.get("deprecated", False),
            public=public,
            parameters=[(parameter["in"], self._parameter(parameter)) for parameter in parameters],
            body=self._schemas.fields(body.get("schema", {})),
            body_schema=self._schemas.name_of(body.get("schema", {})),
            body_type=content_type,
            body_example=pretty(example),
            snippets=snippets(call),
            successes=[response for response in responses if response.status < "400"],
            refusals=[response for response in responses if response.status >= "400"],
        )

    def event(self, name: str, node: Json) -> EventReference:
        _, content = self._content(node.get("requestBody", {}))
        return EventReference(
            anchor=_anchor("event", name),
            type=name,
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            fields=self._schemas.fields(content.get("schema", {})),
            example=pretty(_example(content)),
        )

    def _query(self, parameters: list[Json]) -> dict[str, Any]:
        """What has to be asked for, and the length of a page, which most callers want to choose."""
        return {
            parameter["name"]: self._schemas.example(parameter.get("schema", {}))
            for parameter in parameters
            if parameter["in"] == "query" and (parameter.get("required") or parameter["name"] == "limit")
        }

    def _parameter(self, node: Json) -> SchemaField:
        return self._schemas.field(
            node["name"],
            node.get("schema", {}),
            required=node.get("required", False),
            description=node.get("description", ""),
        )

    def _response(self, status: str, node: Json) -> OperationResponse:
        """Nearly all refusals are the same few everywhere; each is read once."""
        if "$ref" not in node:
            return self._read_response(status, node)
        name = status, node["$ref"]
        if name not in self._named_responses:
            self._named_responses[name] = self._read_response(status, self._schemas.resolve(node))
        return self._named_responses[name]

    def _read_response(self, status: str, node: Json) -> OperationResponse:
        _, content = self._content(node)
        schema = content.get("schema", {})
        envelope = self._schemas.resolve(schema)
        return OperationResponse(
            status=str(status),
            description=node.get("description", ""),
            fields=self._schemas.fields(schema),
            example=pretty(_example(content)),
            schema=self._schemas.name_of(envelope.get("properties", {}).get("data", schema)),
        )

    def _content(self, node: Json) -> tuple[str, Json]:
        contents: Json = self._schemas.resolve(node).get("content", {})
        return next(iter(contents.items()), ("", {}))


def _example(content: Json) -> Any:
    if "example" in content:
        return content["example"]
    named: Json = next(iter(content.get("examples", {}).values()), {})
    return named.get("value")


def _anchor(*words: str) -> str:
    return "-".join(_NOT_WORD.sub("-", word.lower()).strip("-") for word in words)
