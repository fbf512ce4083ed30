"""Requests that wait end with the access of their caller, on every process."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization
from tests.support.processes import ApiProcess
from tests.support.waiting import limit, wait_for

from steward.kit.runtime import clock


def _left(client: Client, organization: Organization) -> int:
    answer = client.get(f"{organization.path}/work-orders")
    return int(answer.headers["ratelimit"].partition("r=")[2].partition(";")[0])


@contextmanager
def waiting(
    client: Client, organization: Organization, types: str = "sor.schedule.published"
) -> Iterator[Future[httpx.Response]]:
    """A request for the next event of these types; it has been let in."""
    query: dict[str, str | int] = {"order": "asc", "after": "now", "wait": 30, "type": types}
    path = f"/v2{organization.path}/events"
    first = _left(client, organization)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(client.get, path, params=query, timeout=limit(120))
        asked = iter(range(1, 10_000))
        # Each look takes one of the key's requests, and the one that waits another.
        wait_for("the request to be let in", lambda: first - _left(client, organization) > next(asked))
        yield answer


def _revoke(organization: Organization, key: dict[str, Any]) -> None:
    organization.api.delete(f"{organization.path}/api-keys/{key['keyId']}").raise_for_status()


def _narrow(organization: Organization, key: dict[str, Any]) -> None:
    change = {"permissions": ["work-orders:read"]}
    organization.api.patch(f"{organization.path}/api-keys/{key['keyId']}", json=change).raise_for_status()


def _bind(organization: Organization, key: dict[str, Any]) -> None:
    change = {"allowedAddresses": ["192.0.2.1"]}
    organization.api.patch(f"{organization.path}/api-keys/{key['keyId']}", json=change).raise_for_status()


def _rotate(organization: Organization, key: dict[str, Any]) -> None:
    path = f"{organization.path}/api-keys/{key['keyId']}/rotate"
    organization.api.post(path, json={"graceSeconds": 0}).raise_for_status()


def _downgrade(organization: Organization, _key: dict[str, Any]) -> None:
    organization.set_plan("Starter")


@pytest.mark.parametrize(
    ("end", "status"), [(_revoke, 401), (_narrow, 403), (_bind, 403), (_rotate, 401), (_downgrade, 403)]
)
def test_a_waiting_request_ends_when_access_is_lost(
    organization: Organization,
    second: ApiProcess,
    end: Callable[[Organization, dict[str, Any]], None],
    status: int,
) -> None:
    key = organization.new_key("events:read", "sor:read", "work-orders:read")
    client = organization.client(key=key["secret"], base_url=second.base_url)
    with waiting(client, organization) as answer:
        end(organization, key)
        assert answer.result().status_code == status, answer.result().text


def test_a_waiting_request_returns_only_what_its_key_can_read_now(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.new_key("events:read", "roles:read", "work-orders:read")
    client = organization.client(key=key["secret"], base_url=second.base_url)
    with waiting(client, organization, "*") as answer:
        change = {"permissions": ["events:read", "work-orders:read"]}
        path = f"{organization.path}/api-keys/{key['keyId']}"
        organization.api.patch(path, json=change).raise_for_status()
        organization.created("roles", {"name": "Night watch", "permissions": ["assets:read"]})
        organization.created("work-orders", {"title": "Lamp is dark"})
        assert [event["type"] for event in data_of(answer.result())] == ["workorder.created"]


def test_a_waiting_request_for_a_type_ends_with_its_permission(
    organization: Organization, second: ApiProcess
) -> None:
    key = organization.new_key("events:read", "roles:read", "work-orders:read")
    client = organization.client(key=key["secret"], base_url=second.base_url)
    with waiting(client, organization, "role.created") as answer:
        change = {"permissions": ["events:read", "work-orders:read"]}
        path = f"{organization.path}/api-keys/{key['keyId']}"
        organization.api.patch(path, json=change).raise_for_status()
        assert answer.result().status_code == 403
        assert "roles:read" in answer.result().json()["message"]


def test_a_waiting_request_ends_when_its_key_expires(organization: Organization, second: ApiProcess) -> None:
    key = organization.created("api-keys", {"name": "Short", "expiresAt": clock.now() + 5})
    with waiting(organization.client(key=key["secret"], base_url=second.base_url), organization) as answer:
        assert (answer.result().status_code, answer.result().json()["message"]) == (
            401,
            "API key has expired",
        )


@pytest.mark.parametrize("end", ["suspend", "remove"])
def test_a_waiting_request_ends_when_its_user_is_removed(
    organization: Organization, second: ApiProcess, end: str
) -> None:
    user = organization.new_user("Administrator")
    token = organization.log_in(user["email"])["token"]
    path = f"{organization.path}/users/{user['id']}"
    with waiting(organization.client(bearer=token, base_url=second.base_url), organization) as answer:
        if end == "suspend":
            organization.api.patch(path, json={"status": "Suspended"}).raise_for_status()
        else:
            organization.api.delete(path).raise_for_status()
        assert answer.result().status_code == 401


def test_the_number_of_waiting_requests_per_key_is_bounded(organization: Organization) -> None:
    key = organization.new_key("events:read", "sor:read")
    path = f"/v2{organization.path}/events"
    query: dict[str, str | int] = {
        "order": "asc",
        "after": "now",
        "wait": 30,
        "type": "sor.schedule.published",
    }
    clients = [organization.client(key=key["secret"]) for _ in range(51)]
    with ThreadPoolExecutor(len(clients)) as pool:
        answers = [pool.submit(client.get, path, params=query, timeout=limit(120)) for client in clients]
        refused = wait_for(
            "one that may not wait", lambda: next((each for each in answers if each.done()), None)
        ).result()
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        assert "wait for events at a time" in refused.json()["message"]
        # The others are not held up, nor is another key.
        assert data_of(organization.api.get(path)) is not None
        _revoke(organization, key)
        assert sorted(each.result().status_code for each in answers) == [401] * 50 + [429]
