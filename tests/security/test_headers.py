"""What every answer says about itself to browsers and caches."""

from tests.support.answers import data_of
from tests.support.organizations import PASSWORD, Client, Organization


def test_every_answer_forbids_content_sniffing(organization: Organization) -> None:
    for path in (
        "/health/live",
        "/openapi.json",
        organization.path,
        "/nowhere",
        "/app/login",
        "/static/steward.css",
    ):
        assert organization.api.get(path).headers["x-content-type-options"] == "nosniff", path


def test_personal_answers_are_not_cached(organization: Organization) -> None:
    key = organization.api.post(f"{organization.path}/api-keys", json={"name": "Shown once"})
    tokens = Client(organization.base_url).post(
        "/authentications/tokens", json={"account": organization.email, "password": PASSWORD}
    )
    for answer in (
        key,
        tokens,
        organization.api.get(f"{organization.path}/users"),
        organization.api.get(f"{organization.path}/visitors"),
        organization.api.get(f"{organization.path}/visitors.csv"),
        organization.api.get(f"{organization.path}/users/nobody"),
        organization.api.get(f"/v2{organization.path}/webhooks"),
        organization.api.post(
            f"/v2{organization.path}/webhooks", json={"url": "https://example.com/x", "events": ["*"]}
        ),
        organization.api.post(
            f"{organization.path}/users/invitations",
            json={"email": "ada@example.com", "name": "Ada", "roleIds": []},
        ),
        organization.api.post(f"{organization.path}/visitors", json={}),
    ):
        assert answer.headers.get_list("cache-control") == ["no-store"], answer.request.url


def test_cacheable_answers_have_a_max_age(organization: Organization) -> None:
    types = organization.api.get(f"/v2{organization.path}/asset-types")
    one = organization.api.get(f"/v2{organization.path}/asset-types/{data_of(types)[0]['id']}")
    assert one.headers.get_list("cache-control") == ["private, max-age=300"]


def test_no_answer_names_the_software_that_gave_it(organization: Organization) -> None:
    assert "server" not in organization.api.get("/health/live").headers
