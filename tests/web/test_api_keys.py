import re
from collections.abc import Callable

from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import Organization

_SECRET = re.compile(r'value="(svc_live_[A-Za-z0-9]{32})"')


def _created(person: BrowserClient, **data: object) -> str:
    answer = person.post("/app/api-keys", data={"name": "ERP", **data})
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    found = _SECRET.search(answer.text)
    assert found, answer.text
    return found[1]


def test_a_key_is_shown_once_and_works(organization: Organization, admin: BrowserClient) -> None:
    secret = _created(admin, access="everything")
    assert organization.client(key=secret).get(f"{organization.path}/work-orders").status_code == 200
    page = admin.sees("/app/api-keys")
    assert "ERP" in page
    assert secret[:13] in page
    assert secret not in page


def test_a_key_may_do_what_was_ticked_and_no_more(organization: Organization, admin: BrowserClient) -> None:
    secret = _created(admin, access="chosen", permissions=["work-orders:read", "assets:read"])
    client = organization.client(key=secret)
    assert client.get(f"{organization.path}/work-orders").status_code == 200
    assert client.post(f"{organization.path}/work-orders", json={"title": "x"}).status_code == 403


def test_ticks_do_not_count_where_everything_is_chosen(
    organization: Organization, admin: BrowserClient
) -> None:
    secret = _created(admin, access="everything", permissions=["work-orders:read"])
    assert organization.client(key=secret).get(f"{organization.path}/users").status_code == 200


def test_what_is_wrong_is_said_and_the_ticks_are_kept(admin: BrowserClient) -> None:
    answer = admin.post(
        "/app/api-keys", data={"name": "", "access": "chosen", "permissions": ["assets:read"]}
    )
    assert answer.status_code == 422
    assert 'id="name-error">Fill this in.' in answer.text
    assert 'value="assets:read" checked' in answer.text
    assert 'value="chosen" checked' in answer.text
    nothing = admin.post("/app/api-keys", data={"name": "ERP", "access": "chosen"})
    assert nothing.status_code == 422
    assert "Choose at least one permission." in nothing.text


def test_only_what_the_person_holds_can_be_handed_on(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    role = organization.created(
        "roles", {"name": "Keys", "permissions": ["api-keys:create", "api-keys:read"]}
    )
    person = logged_in(organization.new_user(roleIds=[role["id"]])["email"])
    assert 'value="assets:read"' not in person.sees("/app/api-keys")
    answer = person.post(
        "/app/api-keys", data={"name": "ERP", "access": "chosen", "permissions": ["assets:read"]}
    )
    assert answer.status_code == 403
    assert "assets:read" in answer.text


def test_a_revoked_key_fails_at_once(organization: Organization, admin: BrowserClient) -> None:
    secret = _created(admin)
    (key_id,) = (
        key["keyId"]
        for key in data_of(organization.api.get(f"{organization.path}/api-keys"))
        if key["name"] == "ERP"
    )
    answer = admin.post(f"/app/api-keys/{key_id}/revoke")
    assert (answer.status_code, answer.headers["location"]) == (303, f"/app/api-keys#{key_id}")
    refused = organization.client(key=secret).get(f"{organization.path}/work-orders")
    assert (refused.status_code, refused.json()["message"]) == (401, "API key has been revoked")
    assert "Revoked" in admin.sees("/app/api-keys")
    assert admin.post("/app/api-keys/key_unknown/revoke").status_code == 404


def test_another_tenants_key_can_not_be_revoked(
    new_organization: Callable[..., Organization], admin: BrowserClient
) -> None:
    foreign = new_organization()
    assert admin.post(f"/app/api-keys/{foreign.key_id}/revoke").status_code == 404
    assert foreign.api.get(f"{foreign.path}/work-orders").status_code == 200


def test_on_the_starter_plan_the_page_says_what_is_missing(
    new_organization: Callable[..., Organization], logged_in: Callable[[str], BrowserClient]
) -> None:
    person = logged_in(new_organization("Starter").email)
    page = person.sees("/app/api-keys")
    assert "API access requires Professional or Enterprise plan" in page
    assert "New API key" not in page
    answer = person.post("/app/api-keys", data={"name": "ERP"})
    assert answer.status_code == 403
    assert "API access requires Professional or Enterprise plan" in answer.text


def test_the_professional_plan_holds_ten_keys(
    new_organization: Callable[..., Organization], logged_in: Callable[[str], BrowserClient]
) -> None:
    person = logged_in(new_organization("Professional").email)
    for _ in range(9):
        _created(person)
    answer = person.post("/app/api-keys", data={"name": "One too many"})
    assert answer.status_code == 409
    assert "at most 10 active API keys" in answer.text
    assert 'value="One too many"' in answer.text


def test_an_organization_creates_ten_keys_an_hour(admin: BrowserClient) -> None:
    for _ in range(10):
        _created(admin)
    answer = admin.post("/app/api-keys", data={"name": "ERP"})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0
    assert "at most 10 API keys an hour" in answer.text


def test_without_the_permission_there_is_no_page(
    organization: Organization, logged_in: Callable[[str], BrowserClient]
) -> None:
    person = logged_in(organization.new_user("Manager")["email"])
    assert "/app/api-keys" not in person.sees("/app")
    answer = person.get("/app/api-keys")
    assert answer.status_code == 403
    assert "api-keys:read (View API keys and their usage)" in answer.text
