"""The API reference at `/docs`: groups of operations, events and schemas, from the OpenAPI document."""

from collections.abc import Iterator

import msgspec

from steward.web.operations import EventReference, Operation, OperationReader, anchor
from steward.web.schemas import Json, SchemaField, Schemas

# Sections and their tags in reading order; other tags come last.
SECTIONS = {
    "Access": ("Organizations", "Users", "Roles", "API keys"),
    "Locations": ("Locations",),
    "Devices": ("Asset types", "Assets", "Telemetry", "Commands"),
    "Monitoring": ("Alert rules", "Alerts", "Forms", "Decks"),
    "Work": ("Work orders",),
    "Bookings": ("Bookable resources", "Bookings"),
    "Visitors": ("Visitors",),
    "Rates": ("Schedules of rates", "Quotations"),
    "Publishing": ("Events", "Webhooks"),
    "The service": ("Health", "Tokens (deprecated)"),
}
OTHER = "More"

_METHODS = ("get", "post", "put", "patch", "delete")
_ORDER = {tag: number for number, tag in enumerate(tag for tags in SECTIONS.values() for tag in tags)}
_SECTION = {tag: section for section, tags in SECTIONS.items() for tag in tags}


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


class SchemaReference(msgspec.Struct, frozen=True):
    """A named schema: its fields, with links to the schemas that they use."""

    name: str
    type: str
    description: str
    fields: list[SchemaField]
    choices: list[str]


def groups(document: Json) -> list[OperationGroup]:
    reader = OperationReader(document)
    by_tag: dict[str, list[Operation]] = {}
    described = {tag["name"]: tag.get("description", "") for tag in document.get("tags", ())}
    for tag, method, path, node in _operations(document):
        by_tag.setdefault(tag, []).append(reader.operation(method, path, node))
    found = [
        OperationGroup(anchor(tag), tag, _SECTION.get(tag, OTHER), described.get(tag, ""), operations)
        for tag, operations in by_tag.items()
    ]
    return sorted(found, key=_place)


def group_paths(document: Json) -> list[str]:
    """The addresses of the groups' pages; much cheaper than reading all operations."""
    return list(dict.fromkeys(_group_path(anchor(tag)) for tag, *_ in _operations(document)))


def _operations(document: Json) -> Iterator[tuple[str, str, str, Json]]:
    """Tag, method, path and description of each."""
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                yield next(iter(methods[method].get("tags", ())), "Other"), method, path, methods[method]


def _group_path(slug: str) -> str:
    return f"/docs/api/{slug}"


def _place(group: OperationGroup) -> tuple[int, bool]:
    """Groups that need an API key come before public ones, which readers look up rather than read."""
    return _ORDER.get(group.name, len(_ORDER)), all(operation.public for operation in group.operations)


def events(document: Json) -> list[EventReference]:
    reader = OperationReader(document)
    return [reader.event(name, item["post"]) for name, item in document.get("webhooks", {}).items()]


def schemas(document: Json) -> list[SchemaReference]:
    """The schemas that operations and events use, by name."""
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
