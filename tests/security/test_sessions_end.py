"""A new password ends everything that the old one opened: at once and on every process."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.processes import ApiProcess, StewardProcess
from tests.support.service import Service
from tests.support.waiting import limit

from steward.access import sessions
from steward.kit.db.pool import Pool
from steward.kit.runtime import clock

NEW = "another long password"


class Opened:
    """Everything that a password can open, on each of two processes."""

    def __init__(
        self, organization: Organization, email: str, urls: list[str], password: str = PASSWORD
    ) -> None:
        self._path = f"{organization.path}/work-orders"
        body = {"account": email, "password": password, "organizationId": organization.id}
        self.tokens = data_of(Client(urls[0]).post("/authentications/tokens", json=body))
        self.bearers = [
            Client(url, bearer=self.tokens[name]) for name in ("token", "idToken") for url in urls
        ]
        self.browsers = [BrowserClient(url) for url in urls]
        for browser in self.browsers:
            assert browser.log_in(email, password, organization=organization.id).status_code == 303
        self._refresher = Client(urls[-1])

    def works(self) -> list[bool]:
        by_bearer = [bearer.get(self._path).status_code == 200 for bearer in self.bearers]
        by_cookie = [browser.get("/app").status_code == 200 for browser in self.browsers]
        return by_bearer + by_cookie

    def refreshes(self) -> bool:
        body = {"refreshToken": self.tokens["refreshToken"]}
        return self._refresher.post("/authentications/tokens/refresh", json=body).status_code == 200

    def is_over(self) -> bool:
        return not any(self.works()) and not self.refreshes()


@pytest.fixture(scope="module")
def two(running_service: Service, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    process = ApiProcess(tmp_path_factory.mktemp("second") / "api.log", running_service.database_url)
    process.wait_until_live()
    yield [running_service.base_url, process.base_url]
    process.stop()


def by_an_administrator(organization: Organization, _tmp: Path) -> None:
    path = f"{organization.path}/users/{organization.user_id}"
    organization.api.patch(path, json={"password": NEW}).raise_for_status()


def by_the_holder(organization: Organization, _tmp: Path) -> None:
    person = BrowserClient(organization.base_url)
    person.log_in(organization.email)
    form = {"oldPassword": PASSWORD, "newPassword": NEW, "repeated": NEW}
    assert person.post("/app/account", data=form).status_code == 303
    # The one who did it goes on.
    assert person.get("/app").status_code == 200


def by_the_operator(organization: Organization, tmp: Path) -> None:
    words = ("user", "set-password", organization.id, organization.email, "--password", NEW)
    piece = StewardProcess(tmp / "command.log", *words, "--database-url", organization.database_url)
    assert piece.process.wait(limit(120)) == 0, piece.said
    assert NEW not in piece.said


def by_joining_another_organization(organization: Organization, _tmp: Path) -> None:
    person = BrowserClient(organization.base_url)
    person.log_in(organization.email)
    other = Organization(organization.base_url, organization.database_url, "Enterprise")
    person.joins(other.invite(organization.email, "Viewer")["link"], NEW, old=PASSWORD)
    assert person.get("/app").status_code == 200


@pytest.mark.parametrize(
    "change", [by_an_administrator, by_the_holder, by_the_operator, by_joining_another_organization]
)
def test_a_new_password_ends_sessions_of_the_old_one(
    organization: Organization, two: list[str], tmp_path: Path, change: Callable[..., None]
) -> None:
    colleague = organization.client(
        bearer=organization.log_in(organization.new_user("Viewer")["email"])["token"], base_url=two[1]
    )
    opened = Opened(organization, organization.email, two)
    assert all(opened.works())
    change(organization, tmp_path)
    assert opened.is_over()
    body = {"account": organization.email, "password": NEW, "organizationId": organization.id}
    again = data_of(Client(two[1]).post("/authentications/tokens", json=body))
    callers = [Client(url, bearer=again["token"]) for url in two]
    # Other people and the person's keys go on.
    callers += [colleague, organization.client(key=organization.secret, base_url=two[1])]
    assert [caller.get(f"{organization.path}/work-orders").status_code for caller in callers] == [200] * 4


def test_it_ends_in_every_organization_of_the_account(
    new_organization: Callable[..., Organization], two: list[str]
) -> None:
    first, second = new_organization(), new_organization()
    email = f"both-{first.id}@example.com"
    person = BrowserClient(first.base_url)
    person.joins(first.invite(email, "Viewer")["link"], PASSWORD)
    person.joins(second.invite(email, "Viewer")["link"])
    opened = [Opened(organization, email, two) for organization in (first, second)]
    form = {"oldPassword": PASSWORD, "newPassword": NEW, "repeated": NEW}
    assert person.post("/app/account", data=form).status_code == 303
    assert [each.is_over() for each in opened] == [True, True]


def test_a_concurrent_login_with_the_old_password_fails(organization: Organization, service: Service) -> None:
    """Its password was looked at before the change, its session stored after."""
    by_an_administrator(organization, Path())

    async def begin(generation: int) -> str:
        pool = Pool(service.database_url, 1)
        try:
            return await sessions.begin(
                pool, organization.id, organization.user_id, generation, now=clock.now()
            )
        finally:
            await pool.close()

    person = BrowserClient(service.base_url)
    for generation, status in ((0, 303), (1, 200)):
        person.cookies.set("steward_session", asyncio.run(begin(generation)), domain="127.0.0.1")
        assert person.get("/app").status_code == status
        person.cookies.clear()


def test_a_process_started_later_knows_the_key(
    organization: Organization, service: Service, tmp_path: Path
) -> None:
    token = organization.log_in()["token"]
    by_an_administrator(organization, tmp_path)
    later = ApiProcess(tmp_path / "api.log", service.database_url)
    try:
        later.wait_until_live()
        caller = organization.client(bearer=token, base_url=later.base_url)
        assert caller.get(f"{organization.path}/work-orders").status_code == 401
    finally:
        later.stop()
