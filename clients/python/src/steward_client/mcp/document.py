"""The service's OpenAPI document, as far as tools are made of it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JSON = "application/json"
ORGANIZATION = "orgId"
# What assistants accept as the name of a tool.
LONGEST_NAME = 64
_METHODS = ("get", "post", "put", "patch", "delete")

Schema = Mapping[str, Any]


class DocumentError(Exception):
    """What was read isn't the document of a Steward service."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    place: str  # path, query or header
    required: bool
    schema: Schema
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    id: str
    method: str
    path: str
    tag: str
    summary: str
    description: str
    parameters: tuple[Parameter, ...]
    # What is sent and answered as JSON; None where there is nothing, or something else.
    body: Schema | None
    body_required: bool
    takes_file: bool
    answer: Schema | None
    creates: bool

    @property
    def name(self) -> str:
        """Its tool's: `listWorkOrders` is `list_work_orders`."""
        return snake_case(self.id)[:LONGEST_NAME]

    @property
    def group(self) -> str:
        """Its tag, as a name: `Work orders` is `work_orders`."""
        return group_name(self.tag)

    @property
    def reads(self) -> bool:
        return self.method == "GET"

    def at(self, place: str) -> tuple[Parameter, ...]:
        return tuple(parameter for parameter in self.parameters if parameter.place == place)

    def sends(self, header: str) -> bool:
        return any(parameter.name == header for parameter in self.at("header"))


@dataclass(frozen=True, slots=True)
class Document:
    version: str
    operations: tuple[Operation, ...]
    schemas: Mapping[str, Schema]

    def resolve(self, schema: Schema) -> Schema:
        """The schema that a reference stands for; itself where it is none."""
        return self.schemas[schema_name(schema["$ref"])] if "$ref" in schema else schema


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def group_name(tag: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", tag.split("(", maxsplit=1)[0].lower()))


def schema_name(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def parse_document(data: Any) -> Document:
    """Raises DocumentError for anything that isn't an OpenAPI document with operations for an organization."""
    try:
        operations = tuple(_operations(data["paths"]))
        document = Document(data["info"]["version"], operations, data["components"]["schemas"])
    except (AttributeError, KeyError, TypeError) as error:
        raise DocumentError("its /openapi.json isn't an OpenAPI document with operations") from error
    if not any(f"{{{ORGANIZATION}}}" in operation.path for operation in operations):
        raise DocumentError("its /openapi.json has no operations for an organization")
    return document


def _operations(paths: Mapping[str, Mapping[str, Any]]) -> Iterator[Operation]:
    for path, methods in paths.items():
        for method in _METHODS:
            if method in methods:
                yield _operation(path, method, methods[method])


def _operation(path: str, method: str, raw: Mapping[str, Any]) -> Operation:
    body = raw.get("requestBody", {})
    successes = {status: answer for status, answer in raw["responses"].items() if status.startswith("2")}
    answered = [answer["content"][JSON] for answer in successes.values() if JSON in answer.get("content", {})]
    return Operation(
        id=raw["operationId"],
        method=method.upper(),
        path=path,
        tag=raw["tags"][0],
        summary=raw["summary"],
        description=raw.get("description", ""),
        parameters=tuple(_parameter(each) for each in raw.get("parameters", ())),
        body=body.get("content", {}).get(JSON, {}).get("schema"),
        body_required=bool(body.get("required", False)),
        takes_file=bool(body) and JSON not in body["content"],
        answer=answered[0]["schema"] if answered else None,
        creates="201" in successes,
    )


def _parameter(raw: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=raw["name"],
        place=raw["in"],
        required=bool(raw.get("required", False)),
        schema=raw["schema"],
        description=raw.get("description", ""),
    )
