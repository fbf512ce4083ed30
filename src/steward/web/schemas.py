"""Reads JSON Schema the way people do: a table of fields, indented where a field holds others."""

from collections.abc import Iterator
from typing import Any

import msgspec

Json = dict[str, Any]

_MAX_DEPTH = 5
_LIMITS = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "{} or more",
    "maximum": "{} or less",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
}


class SchemaField(msgspec.Struct, frozen=True):
    name: str
    type: str
    required: bool
    description: str
    rules: list[str]
    choices: list[str]
    depth: int = 0


class Schemas:
    """Knows the document's named schemas, so that a reference can be followed."""

    def __init__(self, document: Json) -> None:
        self._document = document

    def resolve(self, node: Json) -> Json:
        """What a `$ref` stands for; what is said beside it wins."""
        while "$ref" in node:
            found: Any = self._document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = {**found, **{name: value for name, value in node.items() if name != "$ref"}}
        return node

    def fields(self, schema: Json, depth: int = 0) -> list[SchemaField]:
        return list(self._fields(schema, depth))

    def _fields(self, schema: Json, depth: int) -> Iterator[SchemaField]:
        schema = self._object(schema)
        required = set(schema.get("required", ()))
        for name, node in schema.get("properties", {}).items():
            yield self.field(name, node, required=name in required, depth=depth)
            if depth < _MAX_DEPTH:
                yield from self._fields(node, depth + 1)

    def field(
        self, name: str, node: Json, *, required: bool, depth: int = 0, description: str = ""
    ) -> SchemaField:
        whole = self.resolve(node)
        inner = self._without_null(whole)
        return SchemaField(
            name=name,
            type=self.type_of(node),
            required=required,
            description=description or str(whole.get("description", "")),
            rules=_rules(whole) or _rules(inner),
            choices=[str(choice) for choice in inner.get("enum", ())],
            depth=depth,
        )

    def type_of(self, node: Json) -> str:
        node = self.resolve(node)
        if alternatives := node.get("anyOf") or node.get("oneOf"):
            return " or ".join(dict.fromkeys(self.type_of(alternative) for alternative in alternatives))
        kind = node.get("type")
        if isinstance(kind, list):
            return " or ".join(kind)
        if kind == "array":
            inner = self.type_of(node.get("items", {}))
            return "list" if inner == "anything" else f"list of {inner}"
        if kind is None and "const" in node:
            return msgspec.json.encode(node["const"]).decode()
        if kind is None and "enum" in node:
            return "string"
        return str(kind or ("object" if "properties" in node else "anything"))

    def _object(self, schema: Json) -> Json:
        """The object whose fields are worth a table: a list stands for its items, `T or null` for T."""
        schema = self._without_null(self.resolve(schema))
        if schema.get("type") == "array":
            return self._object(schema.get("items", {}))
        if parts := schema.get("allOf"):
            merged: Json = {"properties": {}, "required": []}
            for part in map(self._object, parts):
                merged["properties"] |= part.get("properties", {})
                merged["required"] += part.get("required", [])
            return merged
        return schema

    def _without_null(self, node: Json) -> Json:
        alternatives = [self.resolve(one) for one in node.get("anyOf", ())]
        real = [one for one in alternatives if one.get("type") != "null"]
        return real[0] if len(real) == 1 else node


def _rules(node: Json) -> list[str]:
    rules = [words.format(f"{node[name]:,}") for name, words in _LIMITS.items() if name in node]
    if node.get("minLength") == 1:
        rules[0] = "not empty"
    if node.get("default") is not None:
        rules.append(f"default {node['default']}")
    return rules
