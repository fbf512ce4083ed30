"""Five failures per address in fifteen minutes; keys and passwords counted apart, over all processes."""

from pathlib import Path

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.organizations import Client, Organization, new_address
from tests.support.ports import free_port
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.service import Service

UNKNOWN = "svc_live_" + "z" * 32


def from_address(client: Client, address: str) -> Client:
    client.headers["X-Forwarded-For"] = address
    return client


def try_key(
    organization: Organization, address: str, key: str = UNKNOWN, base_url: str | None = None
) -> httpx.Response:
    return from_address(organization.client(key=key, base_url=base_url), address).get(
        f"{organization.path}/work-orders"
    )


def try_password(
    organization: Organization, address: str, password: str = "wrong password", base_url: str | None = None
) -> httpx.Response:
    client = from_address(organization.client(base_url=base_url), address)
    return client.post("/authentications/tokens", json={"account": organization.email, "password": password})


def is_too_many(answer: httpx.Response) -> bool:
    return (
        (answer.status_code, answer.json()["error"]) == (429, "TooManyRequests")
        and answer.json()["message"].startswith("Too many requests")
        and 1 <= int(answer.headers["retry-after"]) <= 15 * 60
    )


def test_the_sixth_failing_key_of_an_address_is_refused(organization: Organization) -> None:
    address = new_address()
    assert [try_key(organization, address).status_code for _ in range(5)] == [401] * 5
    assert is_too_many(try_key(organization, address))
    assert try_key(organization, new_address()).status_code == 401


def test_a_valid_key_keeps_working_from_such_an_address(organization: Organization) -> None:
    address = new_address()
    assert [try_key(organization, address).status_code for _ in range(7)][-1] == 429
    assert try_key(organization, address, organization.secret).status_code == 200
    assert try_key(organization, address).status_code == 429


def test_all_kinds_of_failing_credentials_count_together(organization: Organization) -> None:
    address = new_address()
    revoked = organization.new_key()
    organization.api.delete(f"{organization.path}/api-keys/{revoked['keyId']}")
    for key in ("malformed", UNKNOWN, revoked["secret"]):
        assert try_key(organization, address, key).status_code == 401
    for value in ("Bearer not.a.token", "Basic YTpi"):
        client = from_address(organization.client(), address)
        assert client.get(organization.path, headers={"Authorization": value}).status_code == 401
    assert is_too_many(try_key(organization, address))


def test_a_request_without_credentials_is_no_attempt(organization: Organization) -> None:
    address = new_address()
    client = from_address(organization.client(), address)
    assert [client.get(f"{organization.path}/work-orders").status_code for _ in range(10)] == [401] * 10
    assert [try_key(organization, address).status_code for _ in range(5)] == [401] * 5
    assert client.get(f"{organization.path}/work-orders").status_code == 401


def test_after_five_wrong_passwords_the_right_one_is_refused_too(organization: Organization) -> None:
    address = new_address()
    assert [try_password(organization, address).status_code for _ in range(5)] == [401] * 5
    assert is_too_many(try_password(organization, address))
    assert is_too_many(try_password(organization, address, organization.password))
    assert try_password(organization, new_address(), organization.password).status_code == 200


def test_logins_that_succeed_do_not_count(organization: Organization) -> None:
    address = new_address()
    assert [try_password(organization, address, organization.password).status_code for _ in range(6)] == [
        200
    ] * 6


def test_keys_and_passwords_are_counted_apart(organization: Organization) -> None:
    address, other = new_address(), new_address()
    assert [try_key(organization, address).status_code for _ in range(6)][-1] == 429
    assert try_password(organization, address, organization.password).status_code == 200
    assert [try_password(organization, other).status_code for _ in range(6)][-1] == 429
    assert try_key(organization, other).status_code == 401
    assert try_key(organization, other, organization.secret).status_code == 200


@pytest.mark.parametrize("attempt", [try_key, try_password])
def test_failures_are_counted_over_all_processes_and_survive_a_restart(
    service: Service, organization: Organization, attempt
) -> None:
    address = new_address()
    process = service.another_api()
    here, there = organization.base_url, process.base_url
    statuses = [
        attempt(organization, address, base_url=url).status_code for url in (here, there, here, there, there)
    ]
    assert statuses == [401] * 5
    assert is_too_many(attempt(organization, address, base_url=here))
    assert is_too_many(attempt(organization, address, base_url=there))
    assert process.stop() == 0
    assert is_too_many(attempt(organization, address, base_url=service.another_api().base_url))


class BehindAnotherProxy(ApiProcess):
    """Trusts one proxy, and that isn't us."""

    def __init__(self, log: Path, database_url: str) -> None:
        self.port = str(free_port())
        self.base_url = f"http://127.0.0.1:{self.port}"
        StewardProcess.__init__(
            self,
            log,
            "api",
            STEWARD_DATABASE_URL=database_url,
            STEWARD_PORT=self.port,
            STEWARD_TRUSTED_PROXIES="192.0.2.1",
        )


def test_forwarding_headers_are_accepted_from_configured_proxies_only(
    service: Service, organization: Organization, tmp_path: Path
) -> None:
    process = BehindAnotherProxy(tmp_path / "api.log", service.database_url)
    try:
        process.wait_until_live()
        ours = "127.3.2.1"  # all of 127.0.0.0/8 is this machine
        with httpx.Client(
            base_url=process.base_url, transport=httpx.HTTPTransport(local_address=ours)
        ) as client:

            def attempt(key: str) -> int:
                headers = {"X-API-Key": key, "X-Forwarded-For": new_address()}
                return client.get(f"{organization.path}/work-orders", headers=headers).status_code

            assert [attempt(UNKNOWN) for _ in range(6)] == [401] * 5 + [429]
            key = organization.new_key()
            assert attempt(key["secret"]) == 200
            path = f"{organization.path}/api-keys/{key['keyId']}"
            shown = data_of(client.get(path, headers={"X-API-Key": organization.secret}))
            assert shown["lastUsedIp"] == ours
    finally:
        process.stop()
