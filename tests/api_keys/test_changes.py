"""Keys that are renamed, narrowed, bound and rotated; what binds them holds on every process at once."""

from functools import partial
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.processes import ApiProcess
from tests.support.waiting import wait_for

from steward.kit.runtime import clock

FAR = 4102444800


def path(organization: Organization, key: dict[str, Any], verb: str = "") -> str:
    return f"{organization.path}/api-keys/{key['keyId']}{verb}"


def change(organization: Organization, key: dict[str, Any], **changes: Any) -> httpx.Response:
    return organization.api.patch(path(organization, key), json=changes)


def rotate(organization: Organization, key: dict[str, Any], **body: Any) -> httpx.Response:
    return organization.api.post(path(organization, key, "/rotate"), json=body)


def status(client: Client, organization: Organization, resource: str = "work-orders") -> int:
    return client.get(f"{organization.path}/{resource}").status_code


def _refusal(client: Client, organization: Organization) -> httpx.Response | None:
    answer = client.get(f"{organization.path}/work-orders")
    return None if answer.status_code == 200 else answer


def callers(organization: Organization, second: ApiProcess, secret: str) -> list[Client]:
    """One for each of two processes, both of which know the key already."""
    urls = (organization.base_url, second.base_url)
    made = [organization.client(key=secret, base_url=url) for url in urls]
    assert [status(caller, organization) for caller in made] == [200, 200]
    return made


def test_renaming_a_key_writes_an_event(organization: Organization) -> None:
    key = organization.new_key("work-orders:read")
    answer = change(organization, key, name="Warehouse")
    assert (answer.status_code, data_of(answer)["name"]) == (200, "Warehouse")
    read = organization.api.get(path(organization, key))
    assert data_of(read)["name"] == "Warehouse"
    assert read.headers["etag"] == answer.headers["etag"]
    told = organization.events(type="apikey.updated")[-1]["data"]
    assert told["object"]["name"] == "Warehouse"
    assert told["previousAttributes"] == {"name": "Test key"}


def test_events_show_what_bounds_a_key_from_its_creation_on(organization: Organization) -> None:
    bounds = {"expiresAt": FAR, "allowedAddresses": ["192.0.2.0/24"]}
    answer = organization.api.post(f"{organization.path}/api-keys", json={"name": "ERP", **bounds})
    assert organization.api.delete(path(organization, data_of(answer))).status_code == 200
    for kind in ("apikey.created", "apikey.revoked"):
        shown = organization.events(type=kind)[-1]["data"]["object"]
        assert {name: shown[name] for name in bounds} == bounds, kind


def test_restricting_a_key_applies_in_every_process_at_once(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.new_key("work-orders:read", "assets:read")
    both = callers(organization, second, key["secret"])
    answer = change(organization, key, permissions=["assets:read"])
    assert data_of(answer)["permissions"] == ["assets:read"]
    assert [status(caller, organization) for caller in both] == [403, 403]
    assert [status(caller, organization, "assets") for caller in both] == [200, 200]


def test_an_unrestricted_key_can_be_restricted(organization: Organization) -> None:
    key = organization.new_key()
    assert data_of(change(organization, key, permissions=["assets:read"]))["permissions"] == ["assets:read"]
    assert status(organization.client(key=key["secret"]), organization, "assets") == 200
    assert status(organization.client(key=key["secret"]), organization) == 403


@pytest.mark.parametrize("permissions", [["assets:read", "roles:read"], None])
def test_a_key_is_never_widened(organization: Organization, permissions: list[str] | None) -> None:
    key = organization.new_key("assets:read")
    answer = change(organization, key, permissions=permissions)
    assert answer.status_code == 422
    assert answer.json()["details"][0]["field"] == "permissions"
    assert permissions is None or "roles:read" in answer.json()["message"]


def test_a_key_with_more_permissions_cannot_be_changed_or_rotated(organization: Organization) -> None:
    key = organization.new_key("assets:read", "roles:read")
    weaker = organization.client(key=organization.new_key("api-keys:create", "assets:read")["secret"])
    for answer in (
        weaker.patch(path(organization, key), json={"name": "Mine"}),
        weaker.patch(path(organization, key), json={"expiresAt": None}),
        weaker.post(path(organization, key, "/rotate")),
    ):
        assert answer.status_code == 403, answer.text
        assert "roles:read" in answer.json()["message"]


def test_a_key_can_be_rotated_by_its_creator_or_with_permission(organization: Organization) -> None:
    everything = set(data_of(organization.api.get(f"{organization.path}/roles?limit=100"))[-1]["permissions"])
    role = organization.created(
        "roles", {"name": "All but one", "permissions": sorted(everything - {"users:act-as"})}
    )
    colleague = organization.client(
        bearer=organization.log_in(organization.new_user(roleIds=[role["id"]])["email"])["token"]
    )
    key = organization.new_key("assets:read")
    refused = colleague.post(path(organization, key, "/rotate"))
    assert (refused.status_code, "users:act-as" in refused.json()["message"]) == (403, True)
    own = data_of(colleague.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))
    assert colleague.post(path(organization, own, "/rotate")).status_code == 200
    # Its administrator may act for everybody.
    assert rotate(organization, own, graceSeconds=0).status_code == 200


def test_a_key_that_has_expired_is_refused_by_every_process(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.created("api-keys", {"name": "For a while", "expiresAt": clock.now() + 3})
    both = callers(organization, second, key["secret"])
    for caller in both:
        answer = wait_for("the key's end", partial(_refusal, caller, organization))
        assert (answer.status_code, answer.json()["message"]) == (401, "API key has expired")
        assert clock.now() >= key["expiresAt"]
    shown = data_of(organization.api.get(path(organization, key)))
    assert (shown["status"], shown["expiresAt"]) == ("active", key["expiresAt"])
    # Given another end, it works again.
    assert data_of(change(organization, key, expiresAt=FAR))["expiresAt"] == FAR
    assert [status(caller, organization) for caller in both] == [200, 200]
    assert data_of(change(organization, key, expiresAt=None))["expiresAt"] is None


def test_a_key_that_has_expired_takes_no_place_of_the_plan(new_organization: Any) -> None:
    organization = new_organization("Professional")
    keys = [organization.created("api-keys", {"name": f"{number}", "expiresAt": FAR}) for number in range(9)]
    assert organization.api.post(f"{organization.path}/api-keys", json={"name": "x"}).status_code == 409
    organization.sql(
        "UPDATE api_keys SET expires_at = 1 WHERE organization_id = $1 AND id = $2",
        organization.id,
        keys[0]["keyId"],
    )
    assert organization.api.post(f"{organization.path}/api-keys", json={"name": "x"}).status_code == 201
    answer = change(organization, keys[0], expiresAt=FAR)
    assert (answer.status_code, "at most 10" in answer.json()["message"]) == (409, True)


def test_a_key_works_from_its_addresses_alone(organization: Organization, second: ApiProcess) -> None:
    key = organization.new_key("work-orders:read")
    both = callers(organization, second, key["secret"])
    answer = change(organization, key, allowedAddresses=["192.0.2.0/28", "2001:DB8:0::/48", "203.0.113.9/32"])
    assert data_of(answer)["allowedAddresses"] == ["192.0.2.0/28", "2001:db8::/48", "203.0.113.9"]
    for address, expected in (
        ("192.0.2.15", 200),
        ("192.0.2.16", 403),
        ("2001:db8::7", 200),
        ("2001:db8:1::7", 403),
        ("203.0.113.9", 200),
        ("::ffff:203.0.113.9", 200),
        # What a caller claims before the nearest proxy of ours doesn't count.
        ("192.0.2.1, 198.51.100.1", 403),
    ):
        for caller in both:
            caller.headers["X-Forwarded-For"] = address
            answer = caller.get(f"{organization.path}/work-orders")
            assert answer.status_code == expected, (address, answer.text)
    assert "198.51.100.1" in answer.json()["message"]
    assert data_of(change(organization, key, allowedAddresses=None))["allowedAddresses"] == []
    assert [status(caller, organization) for caller in both] == [200, 200]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"expiresAt": 1}, "expiresAt"),
        ({"expiresAt": "tomorrow"}, "expiresAt"),
        ({"allowedAddresses": ["192.0.2.1", "office"]}, "allowedAddresses[1]"),
        ({"allowedAddresses": ["192.0.2.1/24"]}, "allowedAddresses[0]"),
        ({"allowedAddresses": ["192.0.2.0/33"]}, "allowedAddresses[0]"),
        ({"allowedAddresses": ["192.0.2.0/255.255.255.0"]}, "allowedAddresses[0]"),
        ({"allowedAddresses": ["fe80::1%eth0"]}, "allowedAddresses[0]"),
        ({"allowedAddresses": ["192.0.2.1"] * 101}, "allowedAddresses"),
        ({"status": "revoked"}, "status"),
        ({"name": None}, "name"),
    ],
)
def test_impossible_bounds_name_the_field(
    shared_organization: Organization, body: dict[str, Any], field: str
) -> None:
    key = {"keyId": shared_organization.key_id}
    for answer in (
        change(shared_organization, key, **body),
        shared_organization.api.post(f"{shared_organization.path}/api-keys", json={"name": "New", **body}),
    ):
        assert answer.status_code == 422, answer.text
        assert [detail["field"] for detail in answer.json()["details"]] == [field]


def test_a_restricted_key_cannot_make_a_less_restricted_one(organization: Organization) -> None:
    bounds = {"expiresAt": FAR, "allowedAddresses": ["192.0.2.0/24"]}
    bound = organization.created("api-keys", {"name": "Bound", **bounds})
    free = organization.new_key("assets:read")
    caller = organization.client(key=bound["secret"])
    caller.headers["X-Forwarded-For"] = "192.0.2.1"
    made = data_of(caller.post(f"{organization.path}/api-keys", json={"name": "Like it"}))
    assert {name: made[name] for name in bounds} == bounds
    for body in ({"expiresAt": FAR + 1}, {"allowedAddresses": ["192.0.3.0/24"]}):
        answer = caller.post(f"{organization.path}/api-keys", json={"name": "More", **body})
        assert answer.status_code == 403, answer.text
        assert caller.patch(path(organization, bound), json=body).status_code == 403
    assert caller.patch(path(organization, bound), json={"expiresAt": None}).status_code == 403
    assert caller.post(path(organization, free, "/rotate")).status_code == 403
    narrower = caller.patch(path(organization, made), json={"allowedAddresses": ["192.0.2.7"]})
    assert data_of(narrower)["allowedAddresses"] == ["192.0.2.7"]


def test_both_secrets_work_during_the_grace_and_the_old_one_no_longer(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.new_key("work-orders:read")
    old = callers(organization, second, key["secret"])
    answer = rotate(organization, key, graceSeconds=3)
    made = data_of(answer)
    assert answer.headers["cache-control"] == "no-store"
    assert (made["keyId"], made["keyPrefix"]) == (key["keyId"], made["secret"][:13])
    assert made["secret"] != key["secret"]
    new = [organization.client(key=made["secret"], base_url=str(caller.base_url)) for caller in old]
    assert [status(caller, organization) for caller in (*new, *old)] == [200] * 4
    for caller in old:
        wait_for("the end of the grace", partial(_refusal, caller, organization))
        assert clock.now() >= made["oldSecretExpiresAt"]
    assert [status(caller, organization) for caller in new] == [200, 200]
    shown = data_of(organization.api.get(path(organization, key)))
    assert shown["usage"]["totalCalls"] >= 6
    told = organization.events(type="apikey.rotated")[-1]
    assert told["data"]["previousAttributes"] == {"keyPrefix": key["keyPrefix"]}
    assert made["secret"] not in str(told)


def test_without_a_grace_the_old_secret_ends_on_every_process_at_once(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.new_key("work-orders:read")
    old = callers(organization, second, key["secret"])
    made = data_of(rotate(organization, key, graceSeconds=0))
    answers = [caller.get(f"{organization.path}/work-orders") for caller in old]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert "rotated" in answers[0].json()["message"]
    assert status(organization.client(key=made["secret"]), organization) == 200


def test_a_second_rotation_within_the_grace_says_how_to_go_on(organization: Organization) -> None:
    key = organization.new_key()
    second = data_of(rotate(organization, key))
    refused = rotate(organization, key)
    assert (refused.status_code, "graceSeconds 0" in refused.json()["message"]) == (409, True)
    third = data_of(rotate(organization, key, graceSeconds=0))
    found = [status(organization.client(key=each["secret"]), organization) for each in (key, second, third)]
    assert found == [401, 401, 200]


def test_a_rotation_sent_twice_makes_one_secret(organization: Organization) -> None:
    key = organization.new_key()
    first, again = (
        organization.api.post(path(organization, key, "/rotate"), headers={"Idempotency-Key": "once"})
        for _ in range(2)
    )
    assert again.headers["idempotent-replayed"] == "true"
    assert data_of(again) == data_of(first)
    stored = organization.sql(
        "SELECT answer FROM idempotent_answers WHERE organization_id = $1", organization.id
    )
    assert all(data_of(first)["secret"].encode() not in row["answer"] for row in stored)


def test_a_stale_change_or_rotation_is_refused(organization: Organization) -> None:
    created = organization.api.post(f"{organization.path}/api-keys", json={"name": "First"})
    key, seen = data_of(created), {"If-Match": created.headers["etag"]}
    assert (
        organization.api.patch(path(organization, key), json={"name": "2nd"}, headers=seen).status_code == 200
    )
    for answer in (
        organization.api.patch(path(organization, key), json={"name": "3rd"}, headers=seen),
        organization.api.post(path(organization, key, "/rotate"), headers=seen),
    ):
        assert answer.status_code == 412


def test_a_revoked_key_is_changed_no_more(organization: Organization) -> None:
    key = organization.new_key()
    organization.api.delete(path(organization, key))
    for answer in (change(organization, key, name="Again"), rotate(organization, key)):
        assert (answer.status_code, "revoked" in answer.json()["message"]) == (409, True)


def test_limits_of_a_key_go_on_across_its_rotation(organization: Organization) -> None:
    key = organization.new_key()
    before = organization.client(key=key["secret"]).get(f"{organization.path}/work-orders")
    made = data_of(rotate(organization, key))
    after = organization.client(key=made["secret"]).get(f"{organization.path}/work-orders")
    left = [
        int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0]) for answer in (before, after)
    ]
    assert left[1] < left[0]
