"""Behind nginx and Caddy, as `deploy/` sets them up: who calls is known, streams stream, and nothing is cut off."""

import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.deploy_files import DEPLOY
from tests.support.frontends import FRONTENDS, Frontend, program
from tests.support.live_events import live_events
from tests.support.organizations import Client, Organization
from tests.support.service import Service

MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module", params=FRONTENDS)
def frontend(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, running_service: Service
) -> Iterator[Frontend]:
    folder = tmp_path_factory.mktemp(request.param)
    with FRONTENDS[request.param](folder, [running_service.base_url]) as started:
        yield started


def _caller(organization: Organization, frontend: Frontend) -> Client:
    return organization.client(key=organization.secret, base_url=frontend.base_url)


def test_the_address_is_that_of_the_caller_and_not_what_the_caller_says(
    organization: Organization, frontend: Frontend
) -> None:
    key = organization.new_key()
    transport = httpx.HTTPTransport(local_address="127.0.0.2", verify=False)
    with httpx.Client(transport=transport, base_url=frontend.base_url) as caller:
        headers = {"X-API-Key": key["secret"], "X-Forwarded-For": "10.1.2.3"}
        assert caller.get(f"{organization.path}/assets", headers=headers).status_code == 200
    shown = data_of(organization.api.get(f"{organization.path}/api-keys/{key['keyId']}"))
    assert shown["lastUsedIp"] == "127.0.0.2"


def test_people_log_in_over_https(organization: Organization, frontend: Frontend) -> None:
    person = BrowserClient(frontend.base_url)
    answer = person.log_in(organization.email)
    assert answer.status_code == 303, answer.text
    assert "Secure" in answer.headers["set-cookie"], (
        "the service knows that the way to the proxy is encrypted"
    )
    assert "max-age" in answer.headers["strict-transport-security"]
    with live_events(person) as events:
        order = organization.work_orders.create()
        assert events.next() == ("work-orders", {"ids": [order["id"]]})


def test_waiting_requests_are_answered_on_an_event(organization: Organization, frontend: Frontend) -> None:
    caller = _caller(organization, frontend)
    path = f"/v2{organization.path}/events"
    now = caller.get(path, params={"order": "asc", "after": "now"}).json()["lastEvaluatedKey"]
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(caller.get, path, params={"order": "asc", "after": now, "wait": 25})
        organization.work_orders.create()
        [event] = data_of(asked.result())
    assert event["type"] == "workorder.created"


def test_a_body_may_be_as_large_as_the_service_allows(organization: Organization, frontend: Frontend) -> None:
    caller = _caller(organization, frontend)

    def sent(size: int) -> httpx.Response:
        head = b"name,assetTypeId\n"
        rows = b"x" * (size - len(head))
        return caller.post(
            f"{organization.path}/assets/import?dryRun=true",
            content=head + rows,
            headers={"Content-Type": "text/csv"},
        )

    taken = sent(4 * MEBIBYTE)
    assert taken.status_code == 422, taken.text
    assert "details" in taken.json(), "the service has read all of it"
    assert sent(4 * MEBIBYTE + 4096).status_code == 413


def test_an_export_comes_whole(organization: Organization, frontend: Frontend) -> None:
    for number in range(3):
        organization.work_orders.create(title=f"Order {number}")
    answer = _caller(organization, frontend).get(f"{organization.path}/work-orders.csv")
    assert len(answer.text.splitlines()) == 4


@pytest.mark.parametrize("folder", ["caddy", "compose"])
def test_caddy_understands_its_file(folder: str, tmp_path: Path) -> None:
    file = DEPLOY / folder / "Caddyfile"
    caddy = program("caddy")
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    adapted = subprocess.run(
        [caddy, "adapt", "--config", file, "--adapter", "caddyfile"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (adapted.returncode, "formatted" in adapted.stderr) == (0, False), adapted.stderr
