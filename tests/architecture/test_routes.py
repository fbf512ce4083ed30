"""What must be true of every route, also of future ones."""

import re
from collections.abc import Iterator
from typing import Any

from tests.support.offenders import listed

from steward.wiring.routes import api_document

DOCUMENT = api_document()
OPERATIONS = {
    f"{method.upper()} {path}": operation
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
PUBLIC = {
    "GET /.well-known/jwks.json",
    "GET /calendars/{token}",
    "GET /health/live",
    "GET /health/ready",
    "GET /openapi.json",
    "GET /v2/event-types",
    "POST /authentications/tokens",
    "POST /authentications/tokens/refresh",
}
# Documents of others' formats.
WITHOUT_EXAMPLES = {"GET /openapi.json", "GET /.well-known/jwks.json"}


def test_only_listed_routes_are_public() -> None:
    assert {name for name, operation in OPERATIONS.items() if not operation["security"]} == PUBLIC


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(ids) == len(set(ids))


def test_a_route_lies_under_an_organization_and_says_what_it_needs() -> None:
    offenders = []
    for name in sorted(set(OPERATIONS) - PUBLIC):
        if not re.fullmatch(r"\w+ (/v2)?/organizations/\{orgId\}(/.*)?", name):
            offenders.append(f"{name} does not lie under an organization")
        if "Needs the permission `" not in OPERATIONS[name].get("description", ""):
            offenders.append(f"{name} does not say which permission it needs")
    assert offenders == [], listed(offenders)


def test_a_route_shows_an_example_of_what_it_takes_and_gives() -> None:
    offenders = [
        f"{name} {fault}"
        for name, operation in sorted(OPERATIONS.items())
        for fault in _faults(name, operation)
    ]
    assert offenders == [], listed(offenders)


def _faults(name: str, operation: dict[str, Any]) -> Iterator[str]:
    if body := operation.get("requestBody"):
        if "content" not in body:
            yield "does not say what it takes"
        for kind, content in body.get("content", {}).items():
            if "example" not in content:
                yield f"takes {kind} without an example"
    success = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
    given = success[0].get("content") if success else None
    if given is None:
        yield "does not say what it gives"
    elif name not in WITHOUT_EXAMPLES and "example" not in given.get("application/json", {"example": None}):
        yield "gives JSON without an example"
