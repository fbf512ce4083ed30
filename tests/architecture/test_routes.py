"""What must be true of every route, also of those that nobody has thought of yet."""

import re

import pytest

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


def test_only_the_known_few_are_public() -> None:
    assert {name for name, operation in OPERATIONS.items() if not operation["security"]} == PUBLIC


def test_operation_ids_are_unique() -> None:
    ids = [operation["operationId"] for operation in OPERATIONS.values()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - PUBLIC))
def test_a_route_lies_under_an_organization_and_says_what_it_needs(name: str) -> None:
    assert re.fullmatch(r"\w+ (/v2)?/organizations/\{orgId\}(/.*)?", name)
    assert "Needs the permission `" in OPERATIONS[name]["description"]


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_a_route_shows_an_example_of_what_it_takes_and_gives(name: str) -> None:
    operation = OPERATIONS[name]
    if body := operation.get("requestBody"):
        assert all("example" in content for content in body["content"].values())
    success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    if (
        name not in {"GET /openapi.json", "GET /.well-known/jwks.json"}
        and "application/json" in success["content"]
    ):
        assert "example" in success["content"]["application/json"]
