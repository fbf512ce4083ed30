from typing import Any

import pytest

from steward.kit.http.route import Route
from steward.kit.http.router import Router


async def handler(_call: Any) -> Any:
    raise NotImplementedError


def route(method: str, path: str) -> Route:
    return Route(method=method, path=path, handler=handler, tag="", summary="", permission=None)


ROUTER = Router(
    route(*words.split())
    for words in (
        "GET /health/live",
        "GET /organizations/{orgId}",
        "PATCH /organizations/{orgId}",
        "GET /organizations/{orgId}/roles",
        "GET /organizations/{orgId}/roles/{roleId}",
        "DELETE /organizations/{orgId}/roles/{roleId}",
        "POST /organizations/{orgId}/telemetry",
        "POST /organizations/{orgId}/assets/import",
        "GET /organizations/{orgId}/assets/{assetId}",
        "PUT /organizations/{orgId}/assets/by-external-id/{externalId}",
        "POST /v2/organizations/{orgId}/webhooks/{webhookId}/test",
    )
)


@pytest.mark.parametrize(
    ("path", "methods", "values"),
    [
        ("/health/live", {"GET"}, {}),
        ("/organizations/org_1", {"GET", "PATCH"}, {"orgId": "org_1"}),
        ("/organizations/org_1/roles", {"GET"}, {"orgId": "org_1"}),
        ("/organizations/roles/roles", {"GET"}, {"orgId": "roles"}),
        ("/organizations/org_1/roles/rol_1", {"GET", "DELETE"}, {"orgId": "org_1", "roleId": "rol_1"}),
        ("/organizations/org_1/assets/import", {"POST"}, {"orgId": "org_1"}),
        ("/organizations/org_1/assets/ast_1", {"GET"}, {"orgId": "org_1", "assetId": "ast_1"}),
        (
            "/organizations/org_1/assets/by-external-id/PO/2026//17/",
            {"PUT"},
            {"orgId": "org_1", "externalId": "PO/2026//17/"},
        ),
        (
            "/v2/organizations/org_1/webhooks/whk_1/test",
            {"POST"},
            {"orgId": "org_1", "webhookId": "whk_1"},
        ),
    ],
)
def test_a_path_finds_its_routes_and_values(path: str, methods: set[str], values: dict[str, str]) -> None:
    found = ROUTER.find(path)
    assert found is not None
    assert (set(found[0]), found[1]) == (methods, values)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "//",
        "/health",
        "/health/live/",
        "/health/live/x",
        "/organizations",
        "/organizations/",
        "/organizations/org_1/",
        "/organizations//roles",
        "/organizations/org_1/roles/",
        "/organizations/org_1/roles//x",
        "/organizations/org_1/rolls",
        "/organizations/org_1/assets/by-external-id/",
        "/v2/organizations/org_1",
        "/{orgId}",
        "organizations/org_1/x",
    ],
)
def test_other_paths_are_not_served(path: str) -> None:
    assert ROUTER.find(path) is None


def test_two_routes_for_the_same_requests_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two routes"):
        Router([route("GET", "/a/{one}"), route("GET", "/a/{other}")])
