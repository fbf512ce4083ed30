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


def test_a_key_has_only_the_selected_permissions(organization: Organization, admin: BrowserClient) -> None:
    secret = _created(admin, access="chosen", permissions=["work-orders:read", "assets:read"])
    client = organization.client(key=secret)
    assert client.get(f"{organization.path}/work-orders").status_code == 200
    assert client.post(f"{organization.path}/work-orders", json={"title": "x"}).status_code == 403


def test_single_types_are_ignored_when_all_are_selected(
    organization: Organization, admin: BrowserClient
) -> None:
    secret = _created(admin, access="everything", permissions=["work-orders:read"])
    assert organization.client(key=secret).get(f"{organization.path}/users").status_code == 200


def test_errors_are_shown_and_checkboxes_kept(admin: BrowserClient) -> None:
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


def test_only_permissions_of_the_person_can_be_granted(
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


def _key_id(organization: Organization) -> str:
    keys = data_of(organization.api.get(f"{organization.path}/api-keys"))
    return next(key["keyId"] for key in keys if key["name"] == "ERP")


def _shown(organization: Organization, key_id: str) -> dict[str, object]:
    return data_of(organization.api.get(f"{organization.path}/api-keys/{key_id}"))


def test_a_key_is_renamed_narrowed_and_bound_on_its_page(
    organization: Organization, admin: BrowserClient
) -> None:
    _created(admin, access="chosen", permissions=["assets:read", "work-orders:read"])
    key_id = _key_id(organization)
    assert "Change this key" in admin.sees(f"/app/api-keys/{key_id}")
    form = {
        "name": "Warehouse",
        "access": "chosen",
        "permissions": ["assets:read"],
        "expiresAt": "2099-12-31T12:00",
        "allowedAddresses": "192.0.2.7\r\n\r\n2001:db8::/48",
    }
    assert admin.post(f"/app/api-keys/{key_id}", data=form).status_code == 303
    key = _shown(organization, key_id)
    assert (key["name"], key["permissions"]) == ("Warehouse", ["assets:read"])
    assert key["allowedAddresses"] == ["192.0.2.7", "2001:db8::/48"]
    assert isinstance(key["expiresAt"], int)
    page = admin.sees(f"/app/api-keys/{key_id}")
    assert "<code>192.0.2.7</code>" in page
    # What nobody touched stays as it is, and what is emptied is gone.
    assert admin.post(f"/app/api-keys/{key_id}", data=form).status_code == 303
    assert _shown(organization, key_id)["expiresAt"] == key["expiresAt"]
    form |= {"expiresAt": "", "allowedAddresses": ""}
    assert admin.post(f"/app/api-keys/{key_id}", data=form).status_code == 303
    key = _shown(organization, key_id)
    assert (key["expiresAt"], key["allowedAddresses"]) == (None, [])


def test_invalid_addresses_are_reported_by_line(organization: Organization, admin: BrowserClient) -> None:
    _created(admin)
    bad = {"name": "ERP", "allowedAddresses": "192.0.2.7\noffice", "expiresAt": "2001-01-01T00:00"}
    for path in ("/app/api-keys", f"/app/api-keys/{_key_id(organization)}"):
        answer = admin.post(path, data=bad)
        assert answer.status_code == 422
        assert "Line 2 must be an IP address or a network" in answer.text
        assert "Must be in the future" in answer.text
        assert "192.0.2.7\noffice</textarea>" in answer.text


def test_a_key_gets_a_new_secret_on_its_page(organization: Organization, admin: BrowserClient) -> None:
    old = _created(admin)
    answer = admin.post(f"/app/api-keys/{_key_id(organization)}/rotate", data={"graceSeconds": "0"})
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    new = _SECRET.search(answer.text)
    assert new
    statuses = [
        organization.client(key=secret).get(f"{organization.path}/work-orders").status_code
        for secret in (old, new[1])
    ]
    assert statuses == [401, 200]


def test_a_key_that_has_expired_is_shown_as_such(organization: Organization, admin: BrowserClient) -> None:
    _created(admin)
    key_id = _key_id(organization)
    organization.sql(
        "UPDATE api_keys SET expires_at = 1 WHERE organization_id = $1 AND id = $2", organization.id, key_id
    )
    for path in ("/app/api-keys", f"/app/api-keys/{key_id}"):
        assert "is-expired" in admin.sees(path)
