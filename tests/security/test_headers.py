"""What every answer says about itself to browsers and caches."""

from tests.support.organizations import PASSWORD, Client, Organization


def test_no_answer_is_guessed_at(org: Organization) -> None:
    for path in ("/health/live", "/openapi.json", org.path, "/nowhere", "/app/login", "/static/steward.css"):
        assert org.api.get(path).headers["x-content-type-options"] == "nosniff", path


def test_what_belongs_to_somebody_is_not_kept(org: Organization) -> None:
    key = org.api.post(f"{org.path}/api-keys", json={"name": "Shown once"})
    tokens = Client(org.base_url).post(
        "/authentications/tokens", json={"account": org.email, "password": PASSWORD}
    )
    for answer in (
        key,
        tokens,
        org.api.get(f"{org.path}/users"),
        org.api.get(f"{org.path}/visitors"),
        org.api.get(f"{org.path}/visitors.csv"),
        org.api.get(f"{org.path}/users/nobody"),
        org.api.get(f"/v2{org.path}/webhooks"),
    ):
        assert answer.headers.get_list("cache-control") == ["no-store"], answer.request.url


def test_what_may_be_kept_says_for_how_long(org: Organization) -> None:
    types = org.api.get(f"/v2{org.path}/asset-types")
    one = org.api.get(f"/v2{org.path}/asset-types/{types.json()['data'][0]['id']}")
    assert one.headers.get_list("cache-control") == ["private, max-age=300"]


def test_no_answer_names_the_software_that_gave_it(org: Organization) -> None:
    assert "server" not in org.api.get("/health/live").headers
