"""Which operations become tools: rules as data. An assistant reads every tool's description, so each has to be worth it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steward_client.mcp.document import Document, Operation, Schema, schema_name

ALL = "all"
# What people do every day; the other groups are for who sets things up, and are asked for by name.
EVERYDAY = (
    "work_orders",
    "assets",
    "locations",
    "bookings",
    "bookable_resources",
    "visitors",
    "alerts",
    "telemetry",
    "users",
    "organizations",
)
# A conversation is no place for them: it is kept, sent on and shown.
SECRETS = frozenset({"secret", "signingSecret", "password", "token", "idToken", "refreshToken", "link"})
# What is said of an argument where that of the document is about addresses.
REWORDED = {"lastEvaluatedKey": "The `lastEvaluatedKey` that the page before ended with."}
# `orgId` is filled in; an assistant doesn't wait for events.
HIDDEN = SECRETS | {"orgId", "wait"}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why an operation is no tool."""

    reason: str
    applies: Callable[[Operation, Document], bool]


def _route(pattern: str) -> Callable[[Operation, Document], bool]:
    """Operations whose method and path, as in `POST /assets`, have such a part."""
    found = re.compile(pattern).search
    return lambda operation, _: found(f"{operation.method} {operation.path}") is not None


EXCLUSIONS = (
    Exclusion(
        "is not of an organization's records",
        _route(r" /(health|authentications|\.well-known|openapi\.json)"),
    ),
    Exclusion("answers with a file", lambda operation, _: operation.answer is None),
    Exclusion("takes a file", lambda operation, _: operation.takes_file),
    Exclusion("is for copying from another system; lists take `externalId`", _route("/by-external-id/")),
    Exclusion("does many things at once, which a person can't check one by one", _route("/batch$")),
    Exclusion("is for device servers", _route("^(POST|PUT) .*/integrations/")),
    Exclusion("makes an address that is a secret", _route("^POST .*/calendar-link$")),
    Exclusion(
        "answers with a secret",
        lambda operation, document: bool(SECRETS & _properties(operation.answer, document)),
    ),
    Exclusion(
        "can't be done without a secret",
        lambda operation, document: bool(SECRETS & _required(operation.body, document)),
    ),
)


class UnknownGroupError(Exception):
    def __init__(self, name: str, groups: Sequence[str]) -> None:
        super().__init__(f"There are no tools named {name!r}. There are: {', '.join(groups)}, and {ALL}.")


def exclusion(operation: Operation, document: Document) -> str | None:
    """Why it is no tool; None where it is one."""
    return next((rule.reason for rule in EXCLUSIONS if rule.applies(operation, document)), None)


def curated(document: Document, groups: Sequence[str] = (), *, writes: bool = False) -> list[Operation]:
    """The operations that become tools, those of every day where no groups are named; raises UnknownGroupError."""
    offered = [operation for operation in document.operations if exclusion(operation, document) is None]
    known = sorted({operation.group for operation in offered})
    for group in groups:
        if group not in {*known, ALL}:
            raise UnknownGroupError(group, known)
    chosen = known if ALL in groups else groups or EVERYDAY
    return [operation for operation in offered if operation.group in chosen and (writes or operation.reads)]


def _required(schema: Schema | None, document: Document) -> set[str]:
    return set() if schema is None else set(document.resolve(schema).get("required", ()))


def _properties(schema: Schema | None, document: Document) -> set[str]:
    """The names of all properties, however deep."""
    return set(_names(schema, document.schemas, set()))


def _names(part: Any, schemas: Mapping[str, Schema], seen: set[str]) -> Iterator[str]:
    if isinstance(part, list):
        for each in part:
            yield from _names(each, schemas, seen)
    elif isinstance(part, dict):
        yield from part.get("properties", ())
        if (name := schema_name(part.get("$ref", ""))) and name not in seen:
            seen.add(name)
            yield from _names(schemas[name], schemas, seen)
        for each in part.values():
            yield from _names(each, schemas, seen)
