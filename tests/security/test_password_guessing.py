"""Guessing passwords is slowed down, from however many addresses, and locks no user out."""

import asyncio
from collections.abc import Callable

import asyncpg
import httpx
import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import Client, Organization, new_address

from steward.kit.security.client_address import address_key
from steward.tokens.login_limits import login_attempt

UNKNOWN_KEY = "svc_live_" + "z" * 32


def log_in(
    organization: Organization, address: str, password: str = "a wrong guess", email: str | None = None
) -> httpx.Response:
    client = Client(organization.base_url)
    client.headers["X-Forwarded-For"] = address
    body = {"account": email or organization.email, "password": password}
    return client.post("/authentications/tokens", json=body)


@pytest.mark.parametrize(
    ("written", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::FFFF:c000:207", "192.0.2.7"),
        ("0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"),
        ("64:ff9b::192.0.2.7", "192.0.2.7"),
        ("2002:c000:207::1", "192.0.2.7"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:0DB8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::1]", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("fe80::2%1", "fe80::/64"),
        ("::1", "::/64"),
        ("somewhere", "somewhere"),
        ("x" * 500, "x" * 64),
        ("", ""),
    ],
)
def test_an_address_is_counted_in_one_form(written: str, counted: str) -> None:
    assert address_key(written) == counted


def network() -> str:
    """A /64 that nobody else in this run uses."""
    _, second, third, fourth = new_address().split(".")
    return f"2001:db8:{int(second):x}:{int(third) * 256 + int(fourth):x}"


def in_one_network() -> list[str]:
    prefix = network()
    return [f"{prefix}::{host:x}" for host in range(1, 7)]


def in_two_spellings() -> list[str]:
    plain = new_address()
    return [plain, f"::ffff:{plain}"] * 3


@pytest.mark.parametrize("addresses", [in_one_network, in_two_spellings])
def test_alternative_spellings_of_a_path_are_limited_too(
    organization: Organization, addresses: Callable[[], list[str]]
) -> None:
    assert [log_in(organization, address).status_code for address in addresses()] == [401] * 5 + [429]
    keys = [
        organization.client(key=UNKNOWN_KEY)
        .get(organization.path, headers={"X-Forwarded-For": address})
        .status_code
        for address in addresses()
    ]
    assert keys == [401] * 5 + [429]
    forms = []
    for address in addresses():
        person = BrowserClient(organization.base_url)
        person.headers["X-Forwarded-For"] = address
        forms.append(person.log_in(organization.email, "a wrong guess").status_code)
    assert forms == [401] * 5 + [429]


def test_guesses_from_many_addresses_are_counted_by_account(organization: Organization) -> None:
    home, token = new_address(), organization.log_in()["token"]
    assert log_in(organization, home, organization.password).status_code == 200
    answers = [log_in(organization, new_address()) for _ in range(31)]
    assert [answer.status_code for answer in answers] == [401] * 30 + [429]
    assert answers[-1].json()["message"] == (
        "Too many requests: 30 failed logins to this account within 60 minutes."
    )
    assert 0 < int(answers[-1].headers["retry-after"]) <= 3600
    # However the address is written; over the form as well; and also the right password has to wait.
    assert (
        log_in(organization, new_address(), organization.password, organization.email.upper()).status_code
        == 429
    )
    assert (
        BrowserClient(organization.base_url).log_in(organization.email, organization.password).status_code
        == 429
    )
    # The person is not locked out: not from where they have been before, not elsewhere in the service.
    assert log_in(organization, home, organization.password).status_code == 200
    assert organization.api.get(organization.path).status_code == 200
    assert organization.client(bearer=token).get(organization.path).status_code == 200
    colleague = organization.new_user("Viewer")
    assert log_in(organization, new_address(), organization.password, colleague["email"]).status_code == 200


async def set_failures(database_url: str, email: str, number: int) -> str:
    """As after so many guesses; says what there were."""
    subject = login_attempt("api", "", email).email
    connection = await asyncpg.connect(database_url)
    try:
        return await connection.execute(
            "UPDATE rate_windows SET used = $2 WHERE scope = 'account-failures' AND subject = $1 AND used = 1",
            subject,
            number,
        )
    finally:
        await connection.close()


def test_an_address_without_an_account_is_counted_like_any_other(organization: Organization) -> None:
    email = f"nobody-{organization.id}@example.com"
    assert log_in(organization, new_address(), email=email).status_code == 401
    assert asyncio.run(set_failures(organization.database_url, email, 29)) == "UPDATE 1"
    statuses = [log_in(organization, new_address(), email=email).status_code for _ in range(2)]
    assert statuses == [401, 429]


def test_an_address_that_is_known_for_one_account_is_not_for_another(
    new_organization: Callable[..., Organization],
) -> None:
    victim = new_organization(password="the password of the victim")
    attacker = new_organization(email=victim.email)
    theirs = new_address()
    assert log_in(attacker, theirs, attacker.password).status_code == 200
    for _ in range(30):
        log_in(victim, new_address())
    # Their own account opens from there, and theirs alone is tried.
    assert log_in(attacker, theirs, attacker.password).status_code == 200
    assert log_in(victim, theirs, victim.password).status_code == 401


def test_the_form_counts_by_person_and_then_by_address(new_organization: Callable[..., Organization]) -> None:
    browser = BrowserClient(new_organization().base_url)
    people = [new_organization() for _ in range(11)]
    for organization in people[:10]:
        assert [browser.log_in(organization.email, "wrong").status_code for _ in range(5)] == [401] * 5
        assert browser.log_in(organization.email).status_code == 429
    assert browser.log_in(people[10].email).status_code == 429
    assert BrowserClient(browser.headers["Origin"]).log_in(people[10].email).status_code == 303
    # The API is counted apart.
    address = browser.headers["X-Forwarded-For"]
    assert log_in(people[10], address, people[10].password).status_code == 200
