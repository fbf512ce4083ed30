"""An organization can't get into another one through an e-mail address, and learns nothing of it either."""

import asyncio
from collections.abc import Callable

import asyncpg
import httpx
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Client, Organization
from tests.support.service import Service

NewOrganization = Callable[..., Organization]

KNOWN_TO_THE_ATTACKER = "chosen by the attacker"


def log_in(organization: Organization, email: str, password: str, **more: str) -> httpx.Response:
    body = {"account": email, "password": password, **more}
    return Client(organization.base_url).post("/authentications/tokens", json=body)


def opens(organization: Organization, answer: httpx.Response) -> int:
    caller = organization.client(bearer=data_of(answer)["token"])
    return caller.get(f"{organization.path}/users").status_code


@pytest.fixture
def attacker(new_organization: NewOrganization) -> Organization:
    return new_organization()


@pytest.fixture
def victim(new_organization: NewOrganization) -> Organization:
    return new_organization()


@pytest.mark.parametrize("attacker_comes", ["first", "later"])
def test_a_password_set_by_one_organization_does_not_open_others(
    attacker: Organization, victim: Organization, attacker_comes: str
) -> None:
    email = victim.email.replace("admin", "ceo")
    squatting = {"email": email, "password": KNOWN_TO_THE_ATTACKER}
    if attacker_comes == "first":
        attacker.new_user("Administrator", **squatting)
    victim.new_user("Administrator", email=email)
    if attacker_comes == "later":
        attacker.new_user("Administrator", **squatting)

    assert log_in(victim, email, KNOWN_TO_THE_ATTACKER, organizationId=victim.id).status_code == 401
    theirs = log_in(victim, email, KNOWN_TO_THE_ATTACKER)
    assert (opens(attacker, theirs), opens(victim, theirs)) == (200, 403)
    ours = log_in(victim, email, PASSWORD)
    assert (opens(victim, ours), opens(attacker, ours)) == (200, 403)

    browser = BrowserClient(victim.base_url)
    assert browser.log_in(email, KNOWN_TO_THE_ATTACKER).headers["location"] == "/app"
    assert victim.id not in browser.sees("/app/organizations")
    assert browser.log_in(email, KNOWN_TO_THE_ATTACKER, organization=victim.id).status_code == 401


def test_a_later_organization_does_not_grant_access_by_address(
    attacker: Organization, new_organization: NewOrganization
) -> None:
    email = f"founder-{attacker.id}@victim.example"
    attacker.new_user("Administrator", email=email, password=KNOWN_TO_THE_ATTACKER)
    victim = new_organization(email=email)
    assert log_in(victim, email, KNOWN_TO_THE_ATTACKER, organizationId=victim.id).status_code == 401
    assert log_in(victim, email, victim.password, organizationId=victim.id).status_code == 200


def test_an_account_of_another_organization_is_neither_revealed_nor_changed(
    attacker: Organization, victim: Organization
) -> None:
    taken = victim.new_user("Administrator")
    kept = victim.client(bearer=victim.log_in(taken["email"])["token"])
    fresh_email = f"fresh-{attacker.id}@victim.example"
    answers = [
        attacker.api.post(f"{attacker.path}/users", json={"email": e, "name": "X", "password": PASSWORD})
        for e in (fresh_email, taken["email"])
    ]
    assert [answer.status_code for answer in answers] == [201, 201]
    fresh, same = (data_of(answer) for answer in answers)
    # Made just now, and in the order of making: nothing in it is older than the request.
    assert taken["id"] < fresh["id"] < same["id"]
    assert {**same, "id": "", "email": "", "created": 0, "updated": 0} == {
        **fresh,
        "id": "",
        "email": "",
        "created": 0,
        "updated": 0,
    }
    path = f"{attacker.path}/users/{fresh['id']}"
    attacker.api.delete(f"{attacker.path}/users/{same['id']}").raise_for_status()
    assert attacker.api.patch(path, json={"email": taken["email"]}).status_code == 200
    assert attacker.api.patch(path, json={"password": KNOWN_TO_THE_ATTACKER}).status_code == 200
    assert attacker.api.delete(path).status_code == 200
    assert (
        data_of(
            attacker.api.post(
                f"{attacker.path}/users/invitations", json={"email": taken["email"], "name": "X"}
            )
        ).keys()
        == attacker.invite(fresh_email).keys()
    )
    assert data_of(victim.api.get(f"{victim.path}/users/{taken['id']}")) == taken
    assert kept.get(f"{victim.path}/users").status_code == 200
    assert log_in(victim, taken["email"], PASSWORD).status_code == 200


def test_an_inviter_gains_no_control_over_the_account(
    attacker: Organization, victim: Organization, service: Service
) -> None:
    email = f"cfo-{victim.id}@victim.example"
    person = BrowserClient(service.base_url)
    person.joins(victim.invite(email, "Administrator")["link"], PASSWORD)
    named = f"intruder-{victim.id}@attacker.example"
    person.joins(attacker.invite(named, "Viewer")["link"])
    seen = attacker.users()[named]
    assert email not in str(attacker.users())
    assert seen["id"] != victim.users()[email]["id"]
    path = f"{attacker.path}/users/{seen['id']}"
    for changes in ({"password": KNOWN_TO_THE_ATTACKER}, {"email": "mine@attacker.example"}):
        assert attacker.api.patch(path, json=changes).status_code == 409
    # Nor once it is alone here: the account was not made by this organization.
    victim.api.delete(f"{victim.path}/users/{victim.users()[email]['id']}").raise_for_status()
    assert attacker.api.patch(path, json={"password": KNOWN_TO_THE_ATTACKER}).status_code == 409


def test_a_password_set_by_an_organization_gives_no_access_to_others(
    attacker: Organization, victim: Organization, service: Service
) -> None:
    """The person works for both, and uses the login that the first one gave them."""
    email = f"both-{victim.id}@victim.example"
    attacker.new_user("Viewer", email=email, password=KNOWN_TO_THE_ATTACKER)
    person = BrowserClient(service.base_url)
    person.log_in(email, KNOWN_TO_THE_ATTACKER)
    link = victim.invite(email, "Administrator")["link"]
    assert "Choose one that only you know" in person.sees(link)
    refused = person.accept(link)
    assert (refused.status_code, "Fill this in." in refused.text) == (422, True)
    # Nor does a session that somebody stole choose a password for its owner.
    new = {"newPassword": "known to nobody else", "repeated": "known to nobody else"}
    assert person.accept(link, **new, oldPassword="a guess").status_code == 422
    person.joins(link, "known to nobody else", old=KNOWN_TO_THE_ATTACKER)
    assert log_in(victim, email, KNOWN_TO_THE_ATTACKER).status_code == 401
    user = attacker.users()[email]
    back = attacker.api.patch(f"{attacker.path}/users/{user['id']}", json={"password": PASSWORD})
    assert back.status_code == 409
    assert log_in(victim, email, "known to nobody else", organizationId=victim.id).status_code == 200


def test_several_accounts_that_a_password_fits_ask_for_the_organization(
    attacker: Organization, victim: Organization
) -> None:
    email = victim.new_user("Viewer")["email"]
    attacker.new_user("Viewer", email=email)
    asked = log_in(victim, email, PASSWORD)
    assert (asked.status_code, asked.json()["details"][0]["field"]) == (422, "organizationId")
    for organization in (victim, attacker):
        assert log_in(organization, email, PASSWORD, organizationId=organization.id).status_code == 200


def test_many_accounts_with_one_address_do_not_lock_out_its_owner(
    new_organization: NewOrganization, victim: Organization
) -> None:
    owner = victim.email
    for number in range(30):
        new_organization(email=owner, password=f"{KNOWN_TO_THE_ATTACKER} {number}")
    assert log_in(victim, owner, PASSWORD).status_code == 200
    late = new_organization(email=owner, password="of somebody who came after them")
    assert log_in(late, owner, late.password, organizationId=late.id).status_code == 200


def test_a_second_account_cannot_be_used_to_guess_a_password(new_organization: NewOrganization) -> None:
    """A login that opens one's own account succeeds, and would tell by its answer whether it fits another one, too."""
    victim = new_organization(password="what the attacker wants to know")
    attacker = new_organization(email=victim.email, password=KNOWN_TO_THE_ATTACKER)
    at_home = Client(victim.base_url)
    body = {"account": victim.email, "password": victim.password, "organizationId": victim.id}
    assert at_home.post("/authentications/tokens", json=body).status_code == 200

    for _ in range(30):
        assert log_in(attacker, attacker.email, KNOWN_TO_THE_ATTACKER).status_code == 200
    path = f"{attacker.path}/users/{attacker.user_id}"
    attacker.api.patch(path, json={"password": victim.password}).raise_for_status()
    guessed = log_in(attacker, attacker.email, victim.password)
    assert (guessed.status_code, opens(attacker, guessed), opens(victim, guessed)) == (200, 200, 403)
    # For the owner everything is as it was, from where they have been before or with the organization named.
    del body["organizationId"]
    assert at_home.post("/authentications/tokens", json=body).status_code == 422
    assert log_in(victim, victim.email, victim.password, organizationId=victim.id).status_code == 200


async def accounts(organization: Organization, email: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(organization.database_url)
    try:
        return await connection.fetch(
            "SELECT split_part(password_hash, '$', 5) AS salt, renamed FROM accounts WHERE email = $1", email
        )
    finally:
        await connection.close()


def test_a_login_costs_one_hash_however_many_accounts_share_the_address(
    attacker: Organization, victim: Organization
) -> None:
    """They share a salt. Otherwise its time would tell how many there are, and others could make it slow."""
    email = victim.new_user("Viewer")["email"]
    attacker.new_user("Viewer", email=email, password=KNOWN_TO_THE_ATTACKER)
    assert len({row["salt"] for row in asyncio.run(accounts(victim, email))}) == 1
    # One that got the address later is hashed apart, and with the others from its first login on.
    path = f"{attacker.path}/users/{attacker.users()[email]['id']}"
    attacker.api.patch(path, json={"email": f"other-{email}"}).raise_for_status()
    attacker.api.patch(path, json={"email": email}).raise_for_status()
    assert sorted(row["renamed"] for row in asyncio.run(accounts(victim, email))) == [False, True]
    assert log_in(attacker, email, KNOWN_TO_THE_ATTACKER).status_code == 200
    found = asyncio.run(accounts(victim, email))
    assert (len({row["salt"] for row in found}), [row["renamed"] for row in found]) == (1, [False, False])
    assert log_in(attacker, email, KNOWN_TO_THE_ATTACKER).status_code == 200
    assert log_in(victim, email, PASSWORD).status_code == 200
