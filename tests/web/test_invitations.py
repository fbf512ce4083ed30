"""The pages behind an invitation's link."""

import asyncio
from collections.abc import Callable

import asyncpg
import pytest
from tests.support.organizations import PASSWORD, Organization
from tests.web.people import Person

Visitor = Callable[[], Person]
NEW = "a password of my own"


def address(org: Organization) -> str:
    return f"grace-{org.id[-12:]}@example.com"


def test_whoever_has_no_account_makes_one(org: Organization, visitor: Visitor) -> None:
    person, email = visitor(), address(org)
    invitation = org.invite(email, "Viewer")
    answer = person.get(invitation["link"])
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "same-origin"
    assert "Join Test house" in answer.text
    assert email in answer.text
    person.joins(invitation["link"], NEW)
    assert email in person.sees("/app")
    user = org.users()[email]
    assert (user["name"], user["status"], user["roleIds"]) == (
        "Grace Hopper",
        "Active",
        invitation["roleIds"],
    )
    assert org.api.get(f"{org.path}/users/invitations").json()["data"] == []
    assert visitor().log_in(email, NEW).status_code == 303


def test_whoever_is_logged_in_adds_the_organization(
    found: Callable[..., Organization], visitor: Visitor
) -> None:
    first, second = found(), found()
    person, email = visitor(), address(first)
    person.joins(first.invite(email, "Viewer")["link"], NEW)
    named = f"other-{email}"
    page = person.sees(link := second.invite(named, "Technician")["link"])
    assert f"You are logged in as <strong>{email}</strong>" in page
    assert 'type="password"' not in page
    # Looking is not joining.
    assert named not in second.users()
    person.joins(link)
    assert second.users()[named]["roleIds"] == second.role_ids("Technician")
    assert {first.id, second.id} <= set(person.sees("/app/organizations").split('"'))
    # One login, in whose name the new organization does nothing.
    assert visitor().log_in(email, NEW).headers["location"] == "/app/organizations"
    assert visitor().log_in(named, NEW).status_code == 401


def test_a_link_works_once(org: Organization, visitor: Visitor) -> None:
    link = org.invite(address(org))["link"]
    visitor().joins(link, NEW)
    late = visitor()
    assert late.get(link).status_code == 404
    answer = late.post(link, data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert "Ask for a new one" in answer.text


async def execute(org: Organization, statement: str) -> None:
    connection = await asyncpg.connect(org.database_url)
    try:
        await connection.execute(statement, org.id)
    finally:
        await connection.close()


def expires(org: Organization, _invitation: dict) -> None:
    asyncio.run(execute(org, "UPDATE invitations SET expires_at = created WHERE organization_id = $1"))


def is_withdrawn(org: Organization, invitation: dict) -> None:
    org.api.delete(f"{org.path}/users/invitations/{invitation['id']}").raise_for_status()


@pytest.mark.parametrize("ends", [expires, is_withdrawn])
def test_a_link_that_is_over_opens_nothing(
    org: Organization, visitor: Visitor, ends: Callable[[Organization, dict], None]
) -> None:
    invitation = org.invite(address(org), "Viewer")
    person = visitor()
    person.sees(invitation["link"])
    ends(org, invitation)
    assert person.get(invitation["link"]).status_code == 404
    answer = person.post(invitation["link"], data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert address(org) not in org.users()


@pytest.mark.parametrize("changes", [{"status": "Suspended"}, {"roleIds": []}, None])
def test_an_invitation_ends_with_what_its_inviter_may_do(
    org: Organization, visitor: Visitor, changes: dict | None
) -> None:
    inviter = org.new_user("Administrator")
    caller = org.client(bearer=org.log_in(inviter["email"])["token"])
    body = {"email": address(org), "name": "Grace", "roleIds": org.role_ids("Administrator")}
    link = caller.post(f"{org.path}/users/invitations", json=body).json()["data"]["link"]
    user = f"{org.path}/users/{inviter['id']}"
    (org.api.delete(user) if changes is None else org.api.patch(user, json=changes)).raise_for_status()
    answer = visitor().post(link, data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert address(org) not in org.users()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Fill this in."),
        ({"newPassword": "short", "repeated": "short"}, "Use at least 8 characters."),
        ({"newPassword": NEW, "repeated": "something else"}, "This is not the same as the password."),
    ],
)
def test_what_is_wrong_is_said_and_the_link_still_works(
    org: Organization, visitor: Visitor, fields: dict[str, str], words: str
) -> None:
    person, link = visitor(), org.invite(address(org))["link"]
    answer = person.accept(link, **fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert not any(value in answer.text for value in fields.values())
    person.joins(link, NEW)


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.com"}, {"Origin": "null"}]
)
def test_another_site_accepts_nothing(
    org: Organization, admin: Person, found: Callable[..., Organization], headers: dict[str, str]
) -> None:
    inviting = found()
    link = inviting.invite(address(org), "Viewer")["link"]
    answer = admin.post(link, data={"user": org.user_id}, headers=headers)
    assert answer.status_code == 403
    assert address(org) not in inviting.users()


def test_whoever_was_logged_out_meanwhile_is_asked_anew(
    found: Callable[..., Organization], visitor: Visitor
) -> None:
    first, second = found(), found()
    person = visitor()
    person.joins(first.invite(address(first))["link"], NEW)
    link = second.invite(address(second))["link"]
    form = {"user": first.users()[address(first)]["id"]}
    person.post("/app/logout")
    answer = person.post(link, data=form)
    assert answer.status_code == 409
    assert "Create account and join" in answer.text
    assert address(second) not in second.users()


def test_an_account_joins_an_organization_once(org: Organization, visitor: Visitor) -> None:
    person = visitor()
    person.joins(org.invite(address(org))["link"], NEW)
    answer = person.accept(org.invite(f"again-{address(org)}")["link"])
    assert answer.status_code == 409
    assert "belongs to the organization already" in answer.text


def test_an_address_that_became_a_user_meanwhile_is_not_joined_twice(
    org: Organization, visitor: Visitor
) -> None:
    link = org.invite(address(org))["link"]
    org.new_user("Viewer", email=address(org))
    answer = visitor().accept(link, newPassword=NEW, repeated=NEW)
    assert answer.status_code == 409
    assert org.log_in(address(org))  # with the password that it has


def test_a_login_leads_back_to_the_invitation(found: Callable[..., Organization], visitor: Visitor) -> None:
    first, second, third = found(), found(), found()
    person = visitor()
    for org in (first, second):
        person.joins(org.invite(address(first))["link"], NEW)
    link = third.invite(address(first))["link"].removeprefix(third.base_url)
    back = visitor()
    assert f'href="/app/login?next={link}"' in back.sees(link)
    assert back.log_in(address(first), NEW, next=link).headers["location"] == link
    back.joins(link)


@pytest.mark.parametrize("token", ["nonsense", "org_1.x", ".", "'; --", "x" * 3000])
def test_a_made_up_link_is_not_there(visitor: Visitor, token: str) -> None:
    person = visitor()
    assert person.get(f"/app/invitations/{token}").status_code == 404
    assert person.post(f"/app/invitations/{token}", data={"newPassword": NEW}).status_code in {404, 422}


def test_password_of_an_account_that_was_made_here_is_not_asked_of_the_organization(
    org: Organization, visitor: Visitor
) -> None:
    """The organization made it, but its holder has chosen a password since: nothing more to choose."""
    inviting, person = Organization(org.base_url, org.database_url, "Enterprise"), visitor()
    person.log_in(org.email)
    form = {"oldPassword": PASSWORD, "newPassword": NEW, "repeated": NEW}
    assert person.post("/app/account", data=form).status_code == 303
    person.joins(inviting.invite(org.email)["link"])
