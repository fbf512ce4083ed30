"""API keys over HTTP: what is shown and when, what a key may do, and how it ends."""

import re
from collections.abc import Callable

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Organization

SHOWN = {
    "keyId",
    "name",
    "permissions",
    "keyPrefix",
    "status",
    "created",
    "createdBy",
    "lastUsed",
    "expiresAt",
    "allowedAddresses",
    "oldSecretExpiresAt",
}


def listed(organization: Organization) -> list[dict]:
    return data_of(organization.api.get(f"{organization.path}/api-keys?limit=100"))


def message(answer: httpx.Response) -> str:
    return answer.json()["message"]


def test_creating_a_key_shows_its_secret_once(organization: Organization) -> None:
    answer = organization.api.post(
        f"{organization.path}/api-keys",
        json={"name": "ERP", "permissions": ["work-orders:read", "assets:read"]},
    )
    assert answer.status_code == 201
    key = data_of(answer)
    assert key == {
        "keyId": key["keyId"],
        "name": "ERP",
        "permissions": ["assets:read", "work-orders:read"],
        "keyPrefix": key["secret"][:13],
        "status": "active",
        "created": key["created"],
        "createdBy": organization.user_id,
        "lastUsed": None,
        "expiresAt": None,
        "allowedAddresses": [],
        "oldSecretExpiresAt": None,
        "secret": key["secret"],
    }
    assert key["keyId"].startswith("key_")
    assert answer.headers["location"] == f"{organization.path}/api-keys/{key['keyId']}"
    assert key["secret"] not in organization.api.get(answer.headers["location"]).text
    assert key["secret"] not in organization.api.get(f"{organization.path}/api-keys").text


def test_a_secret_is_the_prefix_and_32_alphanumerics(organization: Organization) -> None:
    secret = organization.new_key()["secret"]
    assert len(secret) == 41
    assert re.fullmatch(r"svc_live_[A-Za-z0-9]{32}", secret)


def test_the_list_shows_every_key_newest_first_and_no_secret(organization: Organization) -> None:
    made = [organization.new_key() for _ in range(2)]
    keys = listed(organization)
    assert [key["keyId"] for key in keys] == [made[1]["keyId"], made[0]["keyId"], organization.key_id]
    assert all(set(key) == SHOWN for key in keys)


def test_a_key_created_without_permissions_has_those_of_its_creator(organization: Organization) -> None:
    key = organization.new_key()
    assert organization.client(key=key["secret"]).get(f"{organization.path}/roles").status_code == 200


def test_the_page_of_a_key_shows_its_usage(organization: Organization) -> None:
    key = organization.new_key()
    caller = organization.client(key=key["secret"])
    caller.headers["User-Agent"] = "erp/4.2"
    assert caller.get(f"{organization.path}/work-orders").status_code == 200
    assert caller.get(f"{organization.path}/roles").status_code == 200
    assert caller.get(f"{organization.path}/work-orders/wo_unknown").status_code == 404
    assert caller.get(f"{organization.path}/users").status_code == 200
    shown = data_of(organization.api.get(f"{organization.path}/api-keys/{key['keyId']}"))
    assert set(shown) == SHOWN | {"lastUsedIp", "lastUserAgent", "usage"}
    assert shown["lastUsed"] >= key["created"]
    assert shown["lastUsedIp"] == caller.headers["X-Forwarded-For"]
    assert shown["lastUserAgent"] == "erp/4.2"
    assert shown["usage"] == {"totalCalls": 4, "successfulCalls": 3, "errorCount": 1, "successRate": 0.75}


def test_an_unused_key_is_shown_as_unused(organization: Organization) -> None:
    key = organization.new_key()
    shown = data_of(organization.api.get(f"{organization.path}/api-keys/{key['keyId']}"))
    assert [shown[name] for name in ("lastUsed", "lastUsedIp", "lastUserAgent")] == [None, None, None]
    assert shown["usage"]["totalCalls"] == 0
    assert shown["usage"]["errorCount"] == 0


def test_calls_that_are_refused_for_permission_count_as_errors(organization: Organization) -> None:
    key = organization.new_key("work-orders:read")
    assert organization.client(key=key["secret"]).get(f"{organization.path}/roles").status_code == 403
    shown = data_of(organization.api.get(f"{organization.path}/api-keys/{key['keyId']}"))
    assert shown["usage"] == {"totalCalls": 1, "successfulCalls": 0, "errorCount": 1, "successRate": 0}


def test_a_new_key_works_on_the_very_next_request(organization: Organization) -> None:
    for _ in range(5):
        key = organization.new_key()
        assert (
            organization.client(key=key["secret"]).get(f"{organization.path}/work-orders").status_code == 200
        )


def test_revoking_twice_is_fine_and_the_key_is_refused_from_then_on(organization: Organization) -> None:
    key = organization.new_key()
    caller = organization.client(key=key["secret"])
    assert caller.get(f"{organization.path}/work-orders").status_code == 200
    for _ in range(2):
        answer = organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}")
        assert (answer.status_code, answer.json()) == (200, {"data": {"deleted": True}})
    answer = caller.get(f"{organization.path}/work-orders")
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")
    assert message(answer) == "API key has been revoked"
    assert (
        data_of(organization.api.get(f"{organization.path}/api-keys/{key['keyId']}"))["status"] == "revoked"
    )
    assert {k["keyId"]: k["status"] for k in listed(organization)}[key["keyId"]] == "revoked"


def test_a_key_can_revoke_itself(organization: Organization) -> None:
    assert organization.api.delete(f"{organization.path}/api-keys/{organization.key_id}").status_code == 200
    assert message(organization.api.get(f"{organization.path}/work-orders")) == "API key has been revoked"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_an_unknown_key_id_is_not_found(shared_organization: Organization, method: str) -> None:
    assert (
        shared_organization.api.request(
            method, f"{shared_organization.path}/api-keys/key_unknown"
        ).status_code
        == 404
    )


@pytest.mark.parametrize(
    "key",
    [
        "",
        "nonsense",
        "svc_live_",
        "svc_live_" + "a" * 31,
        "svc_live_" + "a" * 33,
        "svc_test_" + "a" * 32,
        "svc_live_" + "a" * 31 + "-",
        "SVC_LIVE_" + "a" * 32,
    ],
)
def test_a_malformed_key_gets_a_specific_error(shared_organization: Organization, key: str) -> None:
    answer = shared_organization.client(key=key).get(f"{shared_organization.path}/work-orders")
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")
    assert message(answer) == "Invalid API key format"


def test_an_unknown_key_gets_a_specific_error(shared_organization: Organization) -> None:
    answer = shared_organization.client(key="svc_live_" + "a" * 32).get(
        f"{shared_organization.path}/work-orders"
    )
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")
    assert message(answer) == "Invalid API key"


def test_without_credentials_the_answer_is_unauthenticated(shared_organization: Organization) -> None:
    answer = shared_organization.client().get(f"{shared_organization.path}/work-orders")
    assert (answer.status_code, answer.json()["error"]) == (401, "Unauthenticated")
    assert message(answer)


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_a_key_is_also_taken_from_the_authorization_header(
    shared_organization: Organization, scheme: str
) -> None:
    answer = shared_organization.client().get(
        f"{shared_organization.path}/work-orders",
        headers={"Authorization": f"{scheme} {shared_organization.secret}"},
    )
    assert answer.status_code == 200
    # The header is what goes away, whatever it carries.
    assert {"deprecation", "sunset", "link"} <= set(answer.headers)


def test_a_key_in_the_authorization_header_gets_the_same_texts(shared_organization: Organization) -> None:
    for key, text in (
        ("svc_live_short", "Invalid API key format"),
        ("svc_live_" + "b" * 32, "Invalid API key"),
    ):
        answer = shared_organization.client(bearer=key).get(f"{shared_organization.path}/work-orders")
        assert (answer.status_code, message(answer)) == (401, text)


def test_x_api_key_wins_over_authorization(
    shared_organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    good, bad = shared_organization.secret, "svc_live_" + "c" * 32
    assert (
        shared_organization.client(key=good, bearer=bad)
        .get(f"{shared_organization.path}/work-orders")
        .status_code
        == 200
    )
    assert (
        shared_organization.client(key=good, bearer="not.a.token")
        .get(f"{shared_organization.path}/work-orders")
        .status_code
        == 200
    )
    answer = shared_organization.client(key=bad, bearer=good).get(f"{shared_organization.path}/work-orders")
    assert (answer.status_code, message(answer)) == (401, "Invalid API key")


NEEDS = {
    ("GET", ""): "organization:read",
    ("PATCH", ""): "organization:write",
    ("GET", "/users"): "users:read",
    ("POST", "/users"): "users:write",
    ("GET", "/users/usr_x"): "users:read",
    ("PATCH", "/users/usr_x"): "users:write",
    ("DELETE", "/users/usr_x"): "users:write",
    ("GET", "/roles"): "roles:read",
    ("POST", "/roles"): "roles:write",
    ("GET", "/roles/rol_x"): "roles:read",
    ("PATCH", "/roles/rol_x"): "roles:write",
    ("DELETE", "/roles/rol_x"): "roles:write",
    ("GET", "/api-keys"): "api-keys:read",
    ("POST", "/api-keys"): "api-keys:create",
    ("GET", "/api-keys/key_x"): "api-keys:read",
    ("DELETE", "/api-keys/key_x"): "api-keys:revoke",
    ("PATCH", "/api-keys/key_x"): "api-keys:create",
    ("POST", "/api-keys/key_x/rotate"): "api-keys:create",
    ("GET", "/work-orders"): "work-orders:read",
    ("POST", "/work-orders"): "work-orders:write",
    ("GET", "/work-orders/wo_x"): "work-orders:read",
}


def test_every_route_asks_for_its_own_permission_and_no_other(organization: Organization) -> None:
    everything = set(data_of(organization.api.get(f"{organization.path}/roles?limit=100"))[-1]["permissions"])
    role = organization.created("roles", {"name": "Changing"})
    caller = organization.client(
        bearer=organization.log_in(organization.new_user(roleIds=[role["id"]])["email"])["token"]
    )
    for (method, resource), permission in NEEDS.items():
        others = everything - {permission, "work-orders:request", "bookings:book"}
        for held, may in ((others, False), ({permission}, True)):
            organization.api.patch(
                f"{organization.path}/roles/{role['id']}", json={"permissions": list(held)}
            )
            answer = caller.request(method, organization.path + resource)
            assert (answer.status_code != 403) == may, (method, resource, answer.text)
            assert may or permission in message(answer)


def test_a_key_with_a_subset_of_permissions_is_refused_the_rest(organization: Organization) -> None:
    caller = organization.client(key=organization.new_key("work-orders:read", "roles:read")["secret"])
    for method, resource, status in (
        ("GET", "/work-orders", 200),
        ("GET", "/roles", 200),
        ("POST", "/work-orders", 403),
        ("GET", "/users", 403),
        ("GET", "", 403),
    ):
        answer = caller.request(method, organization.path + resource)
        assert answer.status_code == status
        assert status == 200 or answer.json()["error"] == "Forbidden"


def test_a_key_with_an_empty_list_of_permissions_may_do_nothing(organization: Organization) -> None:
    key = organization.created("api-keys", {"name": "Nothing", "permissions": []})
    assert key["permissions"] == []
    assert organization.client(key=key["secret"]).get(f"{organization.path}/work-orders").status_code == 403


def test_a_key_cannot_have_permissions_that_its_creator_lacks(organization: Organization) -> None:
    limited = organization.client(key=organization.new_key("api-keys:create", "work-orders:read")["secret"])
    answer = limited.post(
        f"{organization.path}/api-keys", json={"name": "More", "permissions": ["roles:write"]}
    )
    assert (answer.status_code, answer.json()["error"]) == (403, "Forbidden")
    assert "roles:write" in message(answer)
    fine = limited.post(
        f"{organization.path}/api-keys", json={"name": "Same", "permissions": ["work-orders:read"]}
    )
    assert fine.status_code == 201


def test_a_limited_key_cannot_make_an_unlimited_one_by_naming_no_permissions(
    organization: Organization,
) -> None:
    limited = organization.client(key=organization.new_key("api-keys:create")["secret"])
    answer = limited.post(f"{organization.path}/api-keys", json={"name": "Everything?"})
    if answer.status_code == 201:
        made = organization.client(key=data_of(answer)["secret"])
        assert made.get(f"{organization.path}/roles").status_code == 403
        assert made.get(f"{organization.path}/users").status_code == 403
    else:
        assert answer.status_code == 403


def test_a_key_loses_permissions_with_its_creator(organization: Organization) -> None:
    role = organization.created(
        "roles", {"name": "Maker", "permissions": ["api-keys:create", "work-orders:read", "roles:read"]}
    )
    user = organization.new_user(roleIds=[role["id"]])
    maker = organization.client(bearer=organization.log_in(user["email"])["token"])
    made = data_of(maker.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))
    caller = organization.client(key=made["secret"])
    assert made["createdBy"] == user["id"]
    assert caller.get(f"{organization.path}/roles").status_code == 200
    organization.api.patch(
        f"{organization.path}/roles/{role['id']}", json={"permissions": ["work-orders:read"]}
    )
    assert caller.get(f"{organization.path}/roles").status_code == 403
    assert caller.get(f"{organization.path}/work-orders").status_code == 200


def test_a_key_acts_as_its_creator_where_a_user_is_recorded(organization: Organization) -> None:
    user = organization.new_user("Administrator")
    made = organization.client(bearer=organization.log_in(user["email"])["token"]).post(
        f"{organization.path}/api-keys", json={"name": "Theirs"}
    )
    caller = organization.client(key=data_of(made)["secret"])
    order = data_of(caller.post(f"{organization.path}/work-orders", json={"title": "Leak"}))
    assert order["reportedBy"] == user["id"]
    named = caller.post(
        f"{organization.path}/work-orders", json={"title": "Leak", "reportedBy": organization.user_id}
    ).json()
    assert named["data"]["reportedBy"] == organization.user_id


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": None}, "name"),
        ({"name": 5}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "ERP", "permissions": ["work-orders:fly"]}, "permissions[0]"),
        ({"name": "ERP", "permissions": "work-orders:read"}, "permissions"),
        ({"name": "ERP", "scopes": []}, "scopes"),
    ],
)
def test_a_key_that_cannot_be_made_names_the_field(
    shared_organization: Organization, body: dict, field: str
) -> None:
    answer = shared_organization.api.post(f"{shared_organization.path}/api-keys", json=body)
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert [detail["field"] for detail in answer.json()["details"]] == [field]
