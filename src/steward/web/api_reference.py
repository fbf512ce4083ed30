"""The API reference, as people read it, made from the OpenAPI document."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec

from steward.web.schemas import Json, SchemaField, Schemas

_METHODS = ("get", "post", "put", "patch", "delete")
_PLACEHOLDER = re.compile(r"{(\w+)}")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")


class OperationResponse(msgspec.Struct, frozen=True):
    """One answer that an operation can give."""

    status: str
    description: str
    fields: list[SchemaField]
    example: str | None


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
    curl: str
    successes: list[OperationResponse]
    refusals: list[OperationResponse]


class OperationGroup(msgspec.Struct, frozen=True):
    """The operations of one tag."""

    anchor: str
    name: str
    description: str
    operations: list[Operation]


class EventReference(msgspec.Struct, frozen=True):
    """What a webhook is sent."""

    anchor: str
    type: str
    summary: str
    description: str
    fields: list[SchemaField]
    example: str | None


def groups(document: Json) -> list[OperationGroup]:
    reader = _Reader(document)
    by_tag: dict[str, list[Operation]] = {tag["name"]: [] for tag in document.get("tags", ())}
    described = {tag["name"]: tag.get("description", "") for tag in document.get("tags", ())}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                tag = next(iter(methods[method].get("tags", ())), "Other")
                by_tag.setdefault(tag, []).append(reader.operation(method, path, methods[method]))
    found = [
        OperationGroup(_anchor("tag", tag), tag, described.get(tag, ""), operations)
        for tag, operations in by_tag.items()
        if operations
    ]
    # What an API key opens comes first; logging in, health and the like are looked up, not read.
    return sorted(found, key=lambda group: all(operation.public for operation in group.operations))


def events(document: Json) -> list[EventReference]:
    reader = _Reader(document)
    return [reader.event(name, item["post"]) for name, item in document.get("webhooks", {}).items()]


class _Reader:
    def __init__(self, document: Json) -> None:
        self._schemas = Schemas(document)
        self._named_responses: dict[tuple[str, str], OperationResponse] = {}

    def operation(self, method: str, path: str, node: Json) -> Operation:
        parameters = [self._schemas.resolve(parameter) for parameter in node.get("parameters", ())]
        body = self._content(node.get("requestBody", {}))
        public = node.get("security") == []
        responses = [self._response(status, response) for status, response in node["responses"].items()]
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
            curl=_curl(method, path, _example(body), public=public),
            successes=[response for response in responses if response.status < "400"],
            refusals=[response for response in responses if response.status >= "400"],
        )

    def event(self, name: str, node: Json) -> EventReference:
        content = self._content(node.get("requestBody", {}))
        return EventReference(
            anchor=_anchor("event", name),
            type=name,
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            fields=self._schemas.fields(content.get("schema", {})),
            example=_pretty(_example(content)),
        )

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
        content = self._content(node)
        fields = self._schemas.fields(content.get("schema", {}))
        return OperationResponse(str(status), node.get("description", ""), fields, _pretty(_example(content)))

    def _content(self, node: Json) -> Json:
        contents: Json = self._schemas.resolve(node).get("content", {})
        return next(iter(contents.values()), {})


def _example(content: Json) -> Any:
    if "example" in content:
        return content["example"]
    named: Json = next(iter(content.get("examples", {}).values()), {})
    return named.get("value")


def _pretty(example: Any) -> str | None:
    """JSON as people write it; an example that is a text already, such as CSV, stays what it is."""
    if example is None or isinstance(example, str):
        return example
    return msgspec.json.format(msgspec.json.encode(example), indent=2).decode()


def _curl(method: str, path: str, body: Any, *, public: bool) -> str:
    return " \\\n  ".join(_curl_parts(method, path, body, public=public))


def _curl_parts(method: str, path: str, body: Any, *, public: bool) -> Iterator[str]:
    verb = "" if method == "get" or (method == "post" and body is not None) else f"-X {method.upper()} "
    shell_path = _PLACEHOLDER.sub(lambda found: f"${_CAPITAL.sub('_', found[1]).upper()}", path)
    yield f'curl {verb}"$BASE_URL{shell_path}"'
    if not public:
        yield '-H "X-API-Key: $API_KEY"'
    if body is not None:
        yield '-H "Content-Type: application/json"'
        yield f"-d {shlex.quote(_pretty(body) or '')}"


def _anchor(*words: str) -> str:
    return "-".join(_NOT_WORD.sub("-", word.lower()).strip("-") for word in words)
