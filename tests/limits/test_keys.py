"""How many keys an organization makes in an hour, and how many it holds."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.service import Service


def make(organization: Organization, client: Client | None = None) -> httpx.Response:
    return (client or organization.api).post(f"{organization.path}/api-keys", json={"name": "One of many"})


def test_ten_keys_are_made_in_an_hour_and_no_more(
    organization: Organization, new_organization: Callable[..., Organization]
) -> None:
    assert [make(organization).status_code for _ in range(10)] == [201] * 10
    answer = make(organization)
    assert (answer.status_code, answer.json()["error"]) == (429, "TooManyRequests")
    assert answer.json()["message"].startswith("Too many requests")
    assert 1 <= int(answer.headers["retry-after"]) <= 3600
    assert make(new_organization()).status_code == 201


def test_the_hour_is_counted_over_all_processes(service: Service, organization: Organization) -> None:
    elsewhere = organization.client(key=organization.secret, base_url=service.another_api().base_url)
    statuses = [
        make(organization, client).status_code for _ in range(7) for client in (organization.api, elsewhere)
    ]
    assert Counter(statuses) == {201: 10, 429: 4}


def test_keys_that_could_not_be_made_do_not_count(organization: Organization) -> None:
    limited = organization.client(key=organization.new_key("api-keys:create")["secret"])
    for _ in range(10):
        assert organization.api.post(f"{organization.path}/api-keys", json={}).status_code == 422
        body = {"name": "X", "permissions": ["roles:read"]}
        assert limited.post(f"{organization.path}/api-keys", json=body).status_code == 403
    assert [make(organization).status_code for _ in range(9)] == [201] * 9


def test_professional_holds_ten_active_keys(new_organization: Callable[..., Organization]) -> None:
    organization = new_organization("Professional")  # with its first key
    made = [make(organization) for _ in range(9)]
    assert [answer.status_code for answer in made] == [201] * 9
    for _ in range(3):
        answer = make(organization)
        assert (answer.status_code, answer.json()["error"]) == (409, "Conflict")
        assert "10" in answer.json()["message"]
    organization.api.delete(f"{organization.path}/api-keys/{data_of(made[0])['keyId']}")
    assert make(organization).status_code == 201


def test_the_last_free_place_is_given_once(new_organization: Callable[..., Organization]) -> None:
    organization = new_organization("Professional")
    assert [make(organization).status_code for _ in range(8)] == [201] * 8
    clients = [organization.client(key=organization.secret) for _ in range(5)]
    with ThreadPoolExecutor(len(clients)) as threads:
        statuses = Counter(threads.map(lambda client: make(organization, client).status_code, clients))
    assert statuses[201] == 1
    assert statuses[201] + statuses[409] + statuses[429] == 5


def test_enterprise_holds_more(organization: Organization) -> None:
    assert [make(organization).status_code for _ in range(10)] == [201] * 10
    keys = data_of(organization.api.get(f"{organization.path}/api-keys?limit=100"))
    assert sum(key["status"] == "active" for key in keys) == 11
