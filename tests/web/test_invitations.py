"""The pages behind an invitation's link."""

import asyncio
from collections.abc import Callable

import asyncpg
import pytest
from tests.support.answers import data_of
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization

NewBrowser = Callable[[], BrowserClient]
NEW = "a password of my own"


def address(organization: Organization) -> str:
    return f"grace-{organization.id[-12:]}@example.com"


def test_an_invitation_creates_a_missing_account(organization: Organization, new_browser: NewBrowser) -> None:
    person, email = new_browser(), address(organization)
    invitation = organization.invite(email, "Viewer")
    answer = person.get(invitation["link"])
    assert answer.headers["cache-control"] == "no-store"
    # No later request reveals the link, not even one to ourselves.
    assert answer.headers.get_list("referrer-policy") == ["strict-origin"]
    assert "Join Test house" in answer.text
    assert email in answer.text
    person.joins(invitation["link"], NEW)
    assert email in person.sees("/app")
    user = organization.users()[email]
    assert (user["name"], user["status"], user["roleIds"]) == (
        "Grace Hopper",
        "Active",
        invitation["roleIds"],
    )
    assert data_of(organization.api.get(f"{organization.path}/users/invitations")) == []
    assert new_browser().log_in(email, NEW).status_code == 303


def test_a_logged_in_user_adds_the_organization(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second = new_organization(), new_organization()
    person, email = new_browser(), address(first)
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
    assert new_browser().log_in(email, NEW).headers["location"] == "/app/organizations"
    assert new_browser().log_in(named, NEW).status_code == 401


def test_a_link_works_once(organization: Organization, new_browser: NewBrowser) -> None:
    link = organization.invite(address(organization))["link"]
    new_browser().joins(link, NEW)
    late = new_browser()
    assert late.get(link).status_code == 404
    answer = late.post(link, data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert "Ask for a new one" in answer.text


async def execute(organization: Organization, statement: str) -> None:
    connection = await asyncpg.connect(organization.database_url)
    try:
        await connection.execute(statement, organization.id)
    finally:
        await connection.close()


def expires(organization: Organization, _invitation: dict) -> None:
    asyncio.run(
        execute(organization, "UPDATE invitations SET expires_at = created WHERE organization_id = $1")
    )


def is_withdrawn(organization: Organization, invitation: dict) -> None:
    organization.api.delete(f"{organization.path}/users/invitations/{invitation['id']}").raise_for_status()


@pytest.mark.parametrize("ends", [expires, is_withdrawn])
def test_an_expired_or_used_link_is_refused(
    organization: Organization, new_browser: NewBrowser, ends: Callable[[Organization, dict], None]
) -> None:
    invitation = organization.invite(address(organization), "Viewer")
    person = new_browser()
    person.sees(invitation["link"])
    ends(organization, invitation)
    assert person.get(invitation["link"]).status_code == 404
    answer = person.post(invitation["link"], data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert address(organization) not in organization.users()


@pytest.mark.parametrize("changes", [{"status": "Suspended"}, {"roleIds": []}, None])
def test_an_invitation_ends_when_its_inviter_loses_permission(
    organization: Organization, new_browser: NewBrowser, changes: dict | None
) -> None:
    inviter = organization.new_user("Administrator")
    caller = organization.client(bearer=organization.log_in(inviter["email"])["token"])
    body = {
        "email": address(organization),
        "name": "Grace",
        "roleIds": organization.role_ids("Administrator"),
    }
    link = data_of(caller.post(f"{organization.path}/users/invitations", json=body))["link"]
    user = f"{organization.path}/users/{inviter['id']}"
    (
        organization.api.delete(user) if changes is None else organization.api.patch(user, json=changes)
    ).raise_for_status()
    answer = new_browser().post(link, data={"newPassword": NEW, "repeated": NEW})
    assert answer.status_code == 404
    assert address(organization) not in organization.users()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Fill this in."),
        ({"newPassword": "short", "repeated": "short"}, "Use at least 8 characters."),
        ({"newPassword": NEW, "repeated": "something else"}, "This is not the same as the password."),
    ],
)
def test_errors_are_shown_and_the_link_still_works(
    organization: Organization, new_browser: NewBrowser, fields: dict[str, str], words: str
) -> None:
    person, link = new_browser(), organization.invite(address(organization))["link"]
    answer = person.accept(link, **fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert not any(value in answer.text for value in fields.values())
    person.joins(link, NEW)


@pytest.mark.parametrize(
    "headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://example.com"}, {"Origin": "null"}]
)
def test_another_site_accepts_nothing(
    organization: Organization,
    admin: BrowserClient,
    new_organization: Callable[..., Organization],
    headers: dict[str, str],
) -> None:
    inviting = new_organization()
    link = inviting.invite(address(organization), "Viewer")["link"]
    answer = admin.post(link, data={"user": organization.user_id}, headers=headers)
    assert answer.status_code == 403
    assert address(organization) not in inviting.users()


def test_a_stale_session_asks_for_the_login_again(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second = new_organization(), new_organization()
    person = new_browser()
    person.joins(first.invite(address(first))["link"], NEW)
    link = second.invite(address(second))["link"]
    form = {"user": first.users()[address(first)]["id"]}
    person.post("/app/logout")
    answer = person.post(link, data=form)
    assert answer.status_code == 409
    assert "Create account and join" in answer.text
    assert address(second) not in second.users()


def test_an_account_joins_an_organization_once(organization: Organization, new_browser: NewBrowser) -> None:
    person = new_browser()
    person.joins(organization.invite(address(organization))["link"], NEW)
    answer = person.accept(organization.invite(f"again-{address(organization)}")["link"])
    assert answer.status_code == 409
    assert "belongs to the organization already" in answer.text


def test_an_address_that_became_a_user_meanwhile_is_not_joined_twice(
    organization: Organization, new_browser: NewBrowser
) -> None:
    link = organization.invite(address(organization))["link"]
    organization.new_user("Viewer", email=address(organization))
    answer = new_browser().accept(link, newPassword=NEW, repeated=NEW)
    assert answer.status_code == 409
    assert organization.log_in(address(organization))  # with the password that it has


def test_a_login_leads_back_to_the_invitation(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second, third = new_organization(), new_organization(), new_organization()
    person = new_browser()
    for organization in (first, second):
        person.joins(organization.invite(address(first))["link"], NEW)
    link = third.invite(address(first))["link"].removeprefix(third.base_url)
    back = new_browser()
    assert f'href="/app/login?next={link}"' in back.sees(link)
    assert back.log_in(address(first), NEW, next=link).headers["location"] == link
    back.joins(link)


@pytest.mark.parametrize("token", ["nonsense", "org_1.x", ".", "'; --", "x" * 3000])
def test_a_made_up_link_is_not_found(new_browser: NewBrowser, token: str) -> None:
    person = new_browser()
    assert person.get(f"/app/invitations/{token}").status_code == 404
    assert person.post(f"/app/invitations/{token}", data={"newPassword": NEW}).status_code in {404, 422}


def test_password_of_an_account_that_was_made_here_is_not_asked_of_the_organization(
    organization: Organization, new_browser: NewBrowser
) -> None:
    """The organization made it, but its holder has chosen a password since: nothing more to choose."""
    inviting, person = (
        Organization(organization.base_url, organization.database_url, "Enterprise"),
        new_browser(),
    )
    person.log_in(organization.email)
    form = {"oldPassword": PASSWORD, "newPassword": NEW, "repeated": NEW}
    assert person.post("/app/account", data=form).status_code == 303
    person.joins(inviting.invite(organization.email)["link"])


def test_a_password_set_by_an_organization_is_not_the_personal_one(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    """An administrator of the first organization knows it, and could enter the second."""
    first, second = new_organization(), new_organization()
    person = new_browser()
    person.log_in(first.email)
    link = second.invite(first.email, "Viewer")["link"]
    form = {"user": first.user_id, "oldPassword": PASSWORD, "newPassword": PASSWORD, "repeated": PASSWORD}
    answer = person.post(link, data=form)
    assert answer.status_code == 422
    assert 'id="newPassword-error">Must differ from the present password' in answer.text
    assert first.email not in second.users()
    person.joins(link, NEW, old=PASSWORD)
    assert first.email in second.users()


def test_a_new_account_reveals_nothing_about_passwords_of_other_accounts(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    """It may have the password of another account with the same address: refusing it would tell what that is."""
    first, second = new_organization(), new_organization()
    new_browser().joins(second.invite(first.email, "Viewer")["link"], PASSWORD)
    assert first.email in second.users()


def test_a_session_of_another_user_cannot_accept_an_invitation(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second = new_organization(), new_organization()
    person, email = new_browser(), address(first)
    person.joins(first.invite(email, "Viewer")["link"], NEW)
    first.sql("UPDATE web_sessions SET expires = expires - 301 WHERE organization_id = $1", first.id)
    link = second.invite(email, "Viewer")["link"]
    assert 'id="oldPassword"' in person.sees(link)
    user = {"user": first.users()[email]["id"]}
    for password, words in (("", "Fill this in."), ("a guess of mine", "This is not your password.")):
        answer = person.post(link, data={**user, "oldPassword": password})
        assert (answer.status_code, words in answer.text) == (422, True)
    assert email not in second.users()
    assert person.post(link, data={**user, "oldPassword": NEW}).status_code == 303
    assert email in second.users()


def test_switching_the_organization_does_not_extend_a_session(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second, third = new_organization(), new_organization(), new_organization()
    person, email = new_browser(), address(first)
    person.joins(first.invite(email, "Viewer")["link"], NEW)
    person.joins(second.invite(email, "Viewer")["link"])
    second.sql("UPDATE web_sessions SET expires = expires - 301 WHERE organization_id = $1", second.id)
    assert person.post("/app/organizations", data={"organizationId": first.id}).status_code == 303
    assert 'id="oldPassword"' in person.sees(third.invite(email, "Viewer")["link"])
    assert person.post("/app/account/log-out-elsewhere").status_code == 303
    assert 'id="oldPassword"' in person.sees(third.invite(email, "Viewer")["link"])
