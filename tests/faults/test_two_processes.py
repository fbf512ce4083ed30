"""Every process applies a change before its caller gets the answer."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.answers import data_of
from tests.support.databases import fetch
from tests.support.organizations import Client, Organization
from tests.support.processes import ApiProcess
from tests.support.service import Service
from tests.support.waiting import wait_for

ROUNDS = 15


def leases(service: Service) -> set[str]:
    """The processes that may trust what they remember."""
    statement = "SELECT id FROM processes WHERE kind = 'api' AND lease_until > now()"
    return {row["id"] for row in fetch(service.database_url, statement)}


@pytest.fixture
def third(service: Service, tmp_path: Path) -> Iterator[ApiProcess]:
    """A process to be hurt: the youngest of those that hold a lease."""
    before = leases(service)
    process = ApiProcess(tmp_path / "api.log", service.database_url)
    process.wait_until_live()
    wait_for("a lease of the third process", lambda: leases(service) - before)
    yield process
    if process.process.poll() is None:
        process.process.send_signal(signal.SIGCONT)
    process.kill()


def status(client: Client, organization: Organization) -> int:
    """Of one request, and no second try."""
    return client.get(f"{organization.path}/work-orders").status_code


def revoke(client: Client, organization: Organization, key: dict) -> None:
    assert client.delete(f"{organization.path}/api-keys/{key['keyId']}").status_code == 200


def test_a_revoked_key_is_refused_by_the_other_process_on_its_next_request(
    new_organization: Callable[..., Organization], second: ApiProcess
) -> None:
    for _ in range(2):
        organization = new_organization()
        here, there = organization.api, organization.client(key=organization.secret, base_url=second.base_url)
        for number in range(9):
            key = organization.new_key()
            callers = [
                organization.client(key=key["secret"], base_url=url)
                for url in (organization.base_url, second.base_url)
            ]
            assert [status(caller, organization) for caller in callers] == [200, 200]
            revoke(there if number % 2 else here, organization, key)
            assert [status(caller, organization) for caller in reversed(callers)] == [401, 401]


def test_a_new_key_works_in_the_other_process_on_its_first_request(
    organization: Organization, second: ApiProcess
) -> None:
    for _ in range(10):
        assert (
            status(
                organization.client(key=organization.new_key()["secret"], base_url=second.base_url),
                organization,
            )
            == 200
        )


def test_a_change_of_plan_applies_to_both_processes_at_once(
    organization: Organization, second: ApiProcess
) -> None:
    callers = [organization.api, organization.client(key=organization.secret, base_url=second.base_url)]
    for _ in range(ROUNDS):
        organization.set_plan("Starter")
        assert [status(caller, organization) for caller in callers] == [403, 403]
        organization.set_plan("Professional")
        assert [status(caller, organization) for caller in callers] == [200, 200]


def test_a_suspension_applies_in_the_other_process_at_once(
    organization: Organization, second: ApiProcess
) -> None:
    user = organization.new_user("Administrator")
    bearer = organization.client(bearer=organization.log_in(user["email"])["token"], base_url=second.base_url)
    made = data_of(bearer.post(f"{organization.path}/api-keys", json={"name": "Theirs"}))
    key = organization.client(key=made["secret"], base_url=second.base_url)
    for _ in range(ROUNDS):
        for to, expected in (("Suspended", [401, 403]), ("Active", [200, 200])):
            organization.api.patch(f"{organization.path}/users/{user['id']}", json={"status": to})
            assert [status(caller, organization) for caller in (bearer, key)] == expected
        bearer.headers["X-Forwarded-For"] = Client(organization.base_url).headers["X-Forwarded-For"]


def test_a_changed_role_applies_in_the_other_process_at_once(
    organization: Organization, second: ApiProcess
) -> None:
    role = organization.created("roles", {"name": "Changing"})
    user = organization.new_user(roleIds=[role["id"]])
    caller = organization.client(bearer=organization.log_in(user["email"])["token"], base_url=second.base_url)
    for _ in range(ROUNDS):
        for permissions, expected in ((["work-orders:read"], 200), ([], 403)):
            organization.api.patch(
                f"{organization.path}/roles/{role['id']}", json={"permissions": permissions}
            )
            assert status(caller, organization) == expected


def test_other_roles_act_on_the_other_process_at_once(organization: Organization, second: ApiProcess) -> None:
    roles = {role["name"]: role["id"] for role in data_of(organization.api.get(f"{organization.path}/roles"))}
    user = organization.new_user()
    caller = organization.client(bearer=organization.log_in(user["email"])["token"], base_url=second.base_url)
    for _ in range(ROUNDS):
        for role_ids, expected in (([roles["Viewer"]], 200), ([], 403)):
            organization.api.patch(f"{organization.path}/users/{user['id']}", json={"roleIds": role_ids})
            assert status(caller, organization) == expected


def test_a_killed_process_delays_others_only_briefly(
    organization: Organization, second: ApiProcess, third: ApiProcess
) -> None:
    key = organization.new_key()
    survivor = organization.client(key=key["secret"], base_url=second.base_url)
    assert status(survivor, organization) == 200
    assert status(organization.client(key=key["secret"], base_url=third.base_url), organization) == 200
    third.kill()
    assert status(survivor, organization) == 200
    revoke(organization.api, organization, key)
    assert status(survivor, organization) == 401


def test_a_stalled_process_refuses_a_revoked_key_when_it_resumes(
    service: Service, organization: Organization, third: ApiProcess
) -> None:
    key = organization.new_key()
    sleeper = organization.client(key=key["secret"], base_url=third.base_url)
    assert status(sleeper, organization) == 200
    asleep = max(
        row["id"] for row in fetch(service.database_url, "SELECT id FROM processes WHERE kind = 'api'")
    )
    third.process.send_signal(signal.SIGSTOP)
    # It waits for the lease, which ends after three seconds; without that end the answer would be 503.
    revoke(organization.api, organization, key)
    # The change is final: a process that missed the notification no longer trusts its cache.
    assert asleep not in leases(service)
    third.process.send_signal(signal.SIGCONT)
    assert status(sleeper, organization) == 401


def steward_backends(service: Service) -> set[int]:
    statement = "SELECT pid FROM pg_stat_activity WHERE application_name = 'steward'"
    return {row["pid"] for row in fetch(service.database_url, statement)}


def test_a_process_whose_connections_died_still_refuses_a_revoked_key(
    service: Service, organization: Organization, tmp_path: Path
) -> None:
    before = steward_backends(service)
    process = ApiProcess(tmp_path / "api.log", service.database_url)
    try:
        process.wait_until_live()
        for _ in range(2):
            key = organization.new_key()
            caller = organization.client(key=key["secret"], base_url=process.base_url)
            assert status(caller, organization) == 200
            theirs = list(steward_backends(service) - before)
            assert theirs
            fetch(service.database_url, "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", theirs)
            revoke(organization.api, organization, key)
            assert status(caller, organization) == 401
    finally:
        process.stop()


def test_after_a_missed_notification_the_cache_is_not_trusted(
    service: Service, organization: Organization, tmp_path: Path
) -> None:
    before = steward_backends(service)
    process = ApiProcess(tmp_path / "api.log", service.database_url)
    try:
        process.wait_until_live()
        key = organization.new_key()
        assert status(organization.client(key=key["secret"], base_url=process.base_url), organization) == 200
        theirs = list(steward_backends(service) - before)
        fetch(service.database_url, "SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid", theirs)
        # The lost connection's lease ends after three seconds; a longer wait would be answered 503.
        revoke(organization.api, organization, key)
    finally:
        process.stop()
