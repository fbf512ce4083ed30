"""Idempotency-Key: sent twice, done once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.service import Service

BODY = {"title": "Leak"}


def post(client: Client, path: str, key: str, body: dict | None = None, **headers: str) -> httpx.Response:
    return client.post(path, json=BODY if body is None else body, headers={"Idempotency-Key": key, **headers})


def orders(organization: Organization) -> list[dict]:
    return data_of(organization.api.get(f"{organization.path}/work-orders?limit=100"))


def test_a_repeated_request_gets_the_first_answer_again_and_acts_once(organization: Organization) -> None:
    path = f"{organization.path}/work-orders"
    first, second = post(organization.api, path, "one"), post(organization.api, path, "one")
    assert first.status_code == second.status_code == 201
    assert first.content == second.content
    assert second.headers["location"] == first.headers["location"]
    assert second.headers["etag"] == first.headers["etag"]
    assert "idempotent-replayed" not in first.headers
    assert second.headers["idempotent-replayed"] == "true"
    assert second.headers["x-request-id"] != first.headers["x-request-id"]
    assert len(orders(organization)) == 1


def test_a_secret_that_is_shown_once_is_shown_again_to_the_same_request(organization: Organization) -> None:
    path = f"{organization.path}/api-keys"
    first, second = (post(organization.api, path, "one", {"name": "ERP"}) for _ in range(2))
    assert data_of(first)["secret"] == data_of(second)["secret"]


def test_another_idempotency_key_repeats_the_action(organization: Organization) -> None:
    for key in ("one", "two"):
        assert post(organization.api, f"{organization.path}/work-orders", key).status_code == 201
    assert len(orders(organization)) == 2


@pytest.mark.parametrize(
    ("resource", "body"),
    [("work-orders", {"title": "Another leak"}), ("roles", BODY), ("roles", {"name": "X"})],
)
def test_the_same_key_with_another_request_is_invalid(
    organization: Organization, resource: str, body: dict
) -> None:
    assert post(organization.api, f"{organization.path}/work-orders", "one").status_code == 201
    answer = post(organization.api, f"{organization.path}/{resource}", "one", body)
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert len(orders(organization)) == 1


def test_each_caller_has_keys_of_its_own(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    other = new_organization()
    callers = [
        (organization, organization.api),
        (organization, organization.client(key=organization.new_key()["secret"])),
        (organization, organization.client(bearer=organization.log_in()["token"])),
        (other, other.api),
    ]
    answers = [post(client, f"{where.path}/work-orders", "one") for where, client in callers]
    assert [answer.status_code for answer in answers] == [201] * 4
    assert len({data_of(answer)["id"] for answer in answers}) == 4


def test_users_with_the_same_key_do_not_affect_each_other(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    for who in (organization, new_organization()):
        body = {"account": who.email, "password": who.password}
        answer = post(Client(organization.base_url), "/authentications/tokens", "login", body)
        assert answer.status_code == 200, answer.text


def test_a_replayed_login_does_not_outlive_the_password(organization: Organization) -> None:
    user = organization.new_user("Viewer")
    body = {"account": user["email"], "password": organization.password}
    assert (
        post(Client(organization.base_url), "/authentications/tokens", organization.id, body).status_code
        == 200
    )
    changes = {"password": "another long password"}
    assert organization.api.patch(f"{organization.path}/users/{user['id']}", json=changes).status_code == 200
    assert (
        post(Client(organization.base_url), "/authentications/tokens", organization.id, body).status_code
        == 401
    )


def test_a_reused_refresh_token_is_refused_with_a_key_as_without(
    service: Service, organization: Organization
) -> None:
    token = organization.log_in()["refreshToken"]
    client = Client(service.another_api(STEWARD_SHUTDOWN_SECONDS="1").base_url)
    client.timeout = 5
    path = "/authentications/tokens/refresh"
    assert client.post(path, json={"refreshToken": token}).status_code == 200
    assert post(client, path, "again", {"refreshToken": token}).status_code == 401


def test_a_failure_is_not_kept(organization: Organization) -> None:
    path = f"{organization.path}/work-orders"
    body = {"title": "Leak", "assigneeId": "usr_unknown"}
    for _ in range(2):
        answer = post(organization.api, path, "one", body)
        assert answer.status_code == 422
        assert "idempotent-replayed" not in answer.headers
    assert post(organization.api, path, "one").status_code == 201


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "ä"])
def test_a_malformed_encryption_key_is_invalid(shared_organization: Organization, key: str) -> None:
    headers = [(b"Idempotency-Key", key.encode("latin-1"))]
    answer = shared_organization.api.post(
        f"{shared_organization.path}/work-orders", json=BODY, headers=headers
    )
    assert (answer.status_code, answer.json()["error"]) == (422, "ValidationError")
    assert answer.json()["details"][0]["field"] == "Idempotency-Key"
    assert orders(shared_organization) == []


def test_the_longest_key_works(organization: Organization) -> None:
    assert post(organization.api, f"{organization.path}/work-orders", "x" * 255).status_code == 201


def test_duplicates_at_the_same_time_act_once(service: Service, organization: Organization) -> None:
    urls = [organization.base_url, service.another_api().base_url]
    clients = [organization.client(key=organization.secret, base_url=url) for url in urls * 4]
    for round in range(5):
        with ThreadPoolExecutor(len(clients)) as threads:
            answers = list(
                threads.map(
                    lambda client, key=f"round {round}": post(
                        client, f"{organization.path}/work-orders", key
                    ),
                    clients,
                )
            )
        made = [answer for answer in answers if answer.status_code == 201]
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert sum("idempotent-replayed" not in answer.headers for answer in made) == 1
        assert len({data_of(answer)["id"] for answer in made}) == 1
        assert len(orders(organization)) == round + 1
