"""Reads operations and events out of the OpenAPI document, for the API reference."""

import re
from typing import Any

import msgspec

from steward.web.schemas import Json, SchemaField, Schemas
from steward.web.snippets import ExampleCall, Snippet, pretty, snippets

_NOT_WORD = re.compile(r"[^a-z0-9]+")


class OperationResponse(msgspec.Struct, frozen=True):
    """One response of an operation."""

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


class EventReference(msgspec.Struct, frozen=True):
    """One type of event, as a webhook receives it."""

    anchor: str
    type: str
    summary: str
    description: str
    fields: list[SchemaField]
    example: str | None


class OperationReader:
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
            anchor=node.get("operationId") or anchor(method, path),
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
            anchor=anchor("event", name),
            type=name,
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            fields=self._schemas.fields(content.get("schema", {})),
            example=pretty(_example(content)),
        )

    def _query(self, parameters: list[Json]) -> dict[str, Any]:
        """The required parameters and `limit`, which most callers set."""
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
        """Most operations share the same few error responses; each is read once."""
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


def anchor(*words: str) -> str:
    return "-".join(_NOT_WORD.sub("-", word.lower()).strip("-") for word in words)
