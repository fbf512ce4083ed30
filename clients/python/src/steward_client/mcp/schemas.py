"""The JSON Schema of a tool's arguments: path, query and body of its operation, side by side."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from steward_client.mcp.curation import HIDDEN, REWORDED
from steward_client.mcp.document import Document, Operation, Parameter, Schema, schema_name

# A body that is no plain object, or whose fields bear the names of parameters, is one argument.
BODY = "body"
_NULL: Schema = {"type": "null"}
# Says nothing that the name and the description don't, or nothing in JSON Schema, and is read again and again.
_LEFT_OUT = frozenset({"title", "examples", "example", "discriminator"})
# Below these are names, not keywords.
_NAMED = frozenset({"properties", "patternProperties", "$defs"})


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a tool takes, and where each of it goes."""

    path: frozenset[str]
    query: frozenset[str]
    body: frozenset[str]
    schema: dict[str, Any]

    @property
    def names(self) -> frozenset[str]:
        return self.path | self.query | self.body

    @property
    def required(self) -> list[str]:
        return list(self.schema["required"])


def arguments_of(operation: Operation, document: Document) -> Arguments:
    taken = [
        parameter
        for parameter in (*operation.at("path"), *operation.at("query"))
        if parameter.name not in HIDDEN
    ]
    fields, needed = _body_fields(operation, document, {parameter.name for parameter in taken})
    properties = {**{parameter.name: _parameter_schema(parameter) for parameter in taken}, **fields}
    definitions: dict[str, Any] = {}
    schema = {
        "type": "object",
        "properties": _compact_names(properties, document, definitions),
        "required": [parameter.name for parameter in taken if parameter.required] + needed,
        "additionalProperties": False,
    }
    if definitions:
        schema["$defs"] = definitions
    return Arguments(
        path=frozenset(parameter.name for parameter in taken if parameter.place == "path"),
        query=frozenset(parameter.name for parameter in taken if parameter.place == "query"),
        body=frozenset(fields),
        schema=schema,
    )


def _body_fields(
    operation: Operation, document: Document, taken: set[str]
) -> tuple[Mapping[str, Schema], list[str]]:
    """The arguments that make the body, and which of them can't be left out."""
    if operation.body is None:
        return {}, []
    body = document.resolve(operation.body)
    fields = {name: field for name, field in body.get("properties", {}).items() if name not in HIDDEN}
    if body.get("type") != "object" or "properties" not in body or taken & set(fields):
        return {BODY: operation.body}, [BODY] if operation.body_required else []
    return fields, list(body.get("required", ())) if operation.body_required else []


def _parameter_schema(parameter: Parameter) -> Schema:
    """Without null: in an address, what has no value is left out."""
    schema = dict(parameter.schema)
    if description := REWORDED.get(parameter.name, parameter.description):
        schema["description"] = description
    choices = [choice for choice in schema.pop("anyOf", ()) if choice != _NULL]
    if not choices:
        return schema
    if len(choices) > 1:
        return {"anyOf": choices, **schema}
    return {**choices[0], **schema}


def _compact(schema: Any, document: Document, definitions: dict[str, Any]) -> Any:
    """The same in fewer words; what it refers to is put into the definitions."""
    if isinstance(schema, list):
        return [_compact(each, document, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _reference(schema, document, definitions)
    kept = {
        key: _compact_names(value, document, definitions)
        if key in _NAMED
        else _compact(value, document, definitions)
        for key, value in schema.items()
        if key not in _LEFT_OUT and not (key == "default" and value is None)
    }
    return _nullable(kept)


def _compact_names(
    named: Mapping[str, Any], document: Document, definitions: dict[str, Any]
) -> dict[str, Any]:
    return {name: _compact(value, document, definitions) for name, value in named.items()}


def _reference(schema: Schema, document: Document, definitions: dict[str, Any]) -> dict[str, Any]:
    name = schema_name(schema["$ref"])
    target = document.schemas[name]
    beside = {
        key: value
        for key, value in schema.items()
        if key != "$ref" and not (key == "default" and value is None)
    }
    if "enum" in target:
        # Few words, and most assistants read them better where they are used.
        return {**_compact(dict(target), document, definitions), **beside}
    if name not in definitions:
        definitions[name] = {}  # known before it is filled, as it might refer to itself
        definitions[name] = _compact(dict(target), document, definitions)
    return {"$ref": f"#/$defs/{name}", **beside}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """`{"anyOf": [{"type": "string"}, {"type": "null"}]}` is `{"type": ["string", "null"]}`."""
    if len(choices := schema.get("anyOf", ())) != 2 or choices[1] != _NULL:
        return schema
    kind = choices[0].get("type")
    if not isinstance(kind, str) or "enum" in choices[0] or "const" in choices[0]:
        return schema
    others = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**choices[0], **others, "type": [kind, "null"]}
