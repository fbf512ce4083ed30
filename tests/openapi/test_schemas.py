"""Generators make a class of each schema: each has a name, and what is no schema of ours has none."""

from collections.abc import Iterator
from typing import Any

from steward.wiring.routes import api_document

DOCUMENT = api_document()
SCHEMAS = DOCUMENT["components"]["schemas"]


def _within(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from _within(value)
    elif isinstance(node, list):
        for value in node:
            yield from _within(value)


def test_an_enum_stands_under_its_name_alone() -> None:
    inside = [node for schema in SCHEMAS.values() for part in schema.values() for node in _within(part)]
    assert [node for node in (*inside, *_within(DOCUMENT["paths"])) if "enum" in node] == []


def test_every_schema_is_referred_to() -> None:
    named = {node["$ref"].rpartition("/")[2] for node in _within(DOCUMENT) if "$ref" in node}
    assert SCHEMAS.keys() - named == set()


def test_refusals_have_one_form() -> None:
    forms = {
        content["schema"]["$ref"]
        for response in DOCUMENT["components"]["responses"].values()
        for content in response["content"].values()
    }
    assert forms == {"#/components/schemas/Error"}
    assert SCHEMAS["Error"]["properties"]["error"] == {"$ref": "#/components/schemas/ErrorCode"}
