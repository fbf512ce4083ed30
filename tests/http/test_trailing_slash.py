"""A slash at the end of a path leads to the path without it, and never anywhere else."""

import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("/health/live/", "/health/live"),
        ("/health/live//", "/health/live"),
        ("/openapi.json/?a=1&b=%20%2F", "/openapi.json?a=1&b=%20%2F"),
        ("/organizations/org_a/work-orders/?status=Open", "/organizations/org_a/work-orders?status=Open"),
        ("/organizations/org_a/users/%C3%A4%20%22/", "/organizations/org_a/users/%C3%A4%20%22"),
        ("/organizations/org_a/users/%0d%0aX:1/", "/organizations/org_a/users/%0D%0AX:1"),
        ("/app/", "/app"),
        ("/app/login/?next=/app", "/app/login?next=/app"),
        ("/docs/", "/docs"),
    ],
)
def test_it_redirects_whatever_the_method(
    shared_organization: Organization, path: str, location: str
) -> None:
    client = shared_organization.client()
    for method in ("GET", "POST", "DELETE"):
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["location"]) == (308, location), method
        assert answer.headers["x-request-id"]


@pytest.mark.parametrize(
    "path",
    [
        "/nowhere/",
        "/organizations/",
        "/organizations/org_a/nothing/",
        "//evil.example.com/",
        "//evil.example.com/health/live/",
        "///health/live/",
        "/%2Fevil.example.com/",
        "/%5Cevil.example.com/",
        "/app/nothing/at/all/",
        "//app/",
    ],
)
def test_an_unknown_path_with_a_trailing_slash_is_not_redirected(
    shared_organization: Organization, path: str
) -> None:
    # As it stands: a client would otherwise take the first of two slashes for the beginning of a host.
    url = shared_organization.base_url + path
    answer = shared_organization.client().get(url)
    assert (answer.status_code, "location" in answer.headers) == (404, False)


def test_the_front_page_stays_where_it_is(shared_organization: Organization) -> None:
    answer = shared_organization.client().get("/")
    assert answer.status_code != 308


def test_a_follower_gets_the_requested_events(organization: Organization) -> None:
    made = organization.api.post(
        f"{organization.path}/work-orders/", json={"title": "Leak"}, follow_redirects=True
    )
    assert (made.status_code, data_of(made)["title"]) == (201, "Leak")
