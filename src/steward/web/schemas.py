"""JSON Schema as a table of fields; nested fields are indented."""

from collections.abc import Iterator
from typing import Any

import msgspec

Json = dict[str, Any]

_SCHEMA = "#/components/schemas/"
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
    # The named schema of the field or of its items.
    schema: str | None = None


class Schemas:
    """Follows references to the document's named schemas."""

    def __init__(self, document: Json) -> None:
        self._document = document

    def resolve(self, node: Json) -> Json:
        """Resolves a `$ref`; keys next to it override the target's."""
        while "$ref" in node:
            found: Any = self._document
            for step in node["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            node = {**found, **{name: value for name, value in node.items() if name != "$ref"}}
        return node

    def named(self, name: str) -> Json:
        schema: Json = self._document["components"]["schemas"][name]
        return schema

    def used_names(self) -> set[str]:
        """All schemas that operations and events refer to, directly or not."""
        found: set[str] = set()
        waiting: list[Any] = [self._document.get("paths"), self._document.get("webhooks")]
        waiting.append(self._document.get("components", {}).get("responses"))
        while waiting:
            node = waiting.pop()
            if isinstance(node, list):
                waiting += node
            elif isinstance(node, dict):
                waiting += node.values()
                name = _schema_name(node)
                if name is not None and name not in found:
                    found.add(name)
                    waiting.append(self.named(name))
        return found

    def name_of(self, node: Json) -> str | None:
        """The schema's name, where it has one; that of its items for a list, of T for `T or null`."""
        if name := _schema_name(node):
            return name
        if node.get("type") == "array":
            return self.name_of(node.get("items", {}))
        real = [one for one in node.get("anyOf", ()) if self.resolve(one).get("type") != "null"]
        return self.name_of(real[0]) if len(real) == 1 else None

    def example(self, node: Json) -> Any:
        """An example value for the schema."""
        node = self._without_null(self.resolve(node))
        for source in ("examples", "enum"):
            if node.get(source):
                return node[source][0]
        default = {"integer": 1, "number": 1, "boolean": True}.get(node.get("type", ""), "…")
        return node.get("default") or default

    def fields(self, schema: Json, depth: int = 0, *, max_depth: int = _MAX_DEPTH) -> list[SchemaField]:
        return list(self._fields(schema, depth, max_depth))

    def _fields(self, schema: Json, depth: int, max_depth: int) -> Iterator[SchemaField]:
        schema = self._object(schema)
        required = set(schema.get("required", ()))
        for name, node in schema.get("properties", {}).items():
            yield self.field(name, node, required=name in required, depth=depth)
            if depth < max_depth:
                yield from self._fields(node, depth + 1, max_depth)

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
            schema=self.name_of(node),
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


def _schema_name(node: Json) -> str | None:
    reference = node.get("$ref")
    if not isinstance(reference, str) or not reference.startswith(_SCHEMA):
        return None
    return reference.removeprefix(_SCHEMA)


def _rules(node: Json) -> list[str]:
    rules = [words.format(f"{node[name]:,}") for name, words in _LIMITS.items() if name in node]
    if node.get("minLength") == 1:
        rules[0] = "not empty"
    if node.get("default") is not None:
        rules.append(f"default {node['default']}")
    return rules
