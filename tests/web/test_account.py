from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization

_NEW = "another long password"


def _change(
    person: BrowserClient, old: str = PASSWORD, new: str = _NEW, repeated: str = _NEW
) -> tuple[int, str]:
    answer = person.post("/app/account", data={"oldPassword": old, "newPassword": new, "repeated": repeated})
    return answer.status_code, answer.headers.get("location", answer.text)


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(
    organization: Organization,
    admin: BrowserClient,
    new_browser: Callable[[], BrowserClient],
    logged_in: Callable[[str], BrowserClient],
) -> None:
    elsewhere = logged_in(organization.email)
    assert _change(admin) == (303, "/app/account?changed=yes")
    assert "Your password is changed." in admin.sees("/app/account?changed=yes")
    assert elsewhere.get("/app").status_code == 303
    assert new_browser().log_in(organization.email).status_code == 401
    assert new_browser().log_in(organization.email, _NEW).status_code == 303


def test_the_sessions_of_other_people_go_on(
    organization: Organization, admin: BrowserClient, logged_in: Callable[[str], BrowserClient]
) -> None:
    colleague = logged_in(organization.new_user("Viewer")["email"])
    _change(admin)
    colleague.sees("/app")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"old": "not my password"}, "This is not your password."),
        ({"new": "tiny-1", "repeated": "tiny-1"}, "Use at least 8 characters."),
        ({"repeated": "something else entirely"}, "This is not the same as the new password."),
        ({"old": ""}, "Fill this in."),
        ({"new": PASSWORD, "repeated": PASSWORD}, "Must differ from the present password"),
    ],
)
def test_errors_are_shown_without_the_password(
    organization: Organization,
    admin: BrowserClient,
    new_browser: Callable[[], BrowserClient],
    fields: dict[str, str],
    words: str,
) -> None:
    status, page = _change(admin, **fields)
    assert status == 422
    assert words in page
    assert not any(value and value in page for value in fields.values())
    assert new_browser().log_in(organization.email).status_code == 303


def test_changing_the_password_limits_guesses_of_the_old_one(admin: BrowserClient) -> None:
    statuses = [_change(admin, old="guess")[0] for _ in range(6)]
    assert statuses == [422] * 5 + [429]
    assert _change(admin)[0] == 429


def _rename(person: BrowserClient, email: str, password: str = PASSWORD) -> tuple[int, str]:
    answer = person.post("/app/account/email", data={"email": email, "password": password})
    return answer.status_code, answer.headers.get("location", answer.text)


def test_only_the_account_holder_can_change_its_address(
    organization: Organization, new_browser: Callable[[], BrowserClient]
) -> None:
    email, new = f"old-{organization.id[-12:]}@example.com", f"new-{organization.id[-12:]}@example.com"
    person = new_browser()
    person.joins(organization.invite(email, "Viewer")["link"], PASSWORD)
    assert "Change your e-mail address" in person.sees("/app/account")
    assert _rename(person, new, "not my password")[0] == 422
    assert _rename(person, "no address")[0] == 422
    assert _rename(person, new) == (303, "/app/account?changed=email")
    assert f"<dd>{new}</dd>" in person.sees("/app/account?changed=email")
    assert [new_browser().log_in(address).status_code for address in (email, new)] == [401, 303]
    # The organization goes on knowing them as it did.
    assert email in organization.users()
    assert new not in organization.users()


def test_an_organization_can_change_addresses_of_accounts_it_created(
    organization: Organization, admin: BrowserClient, new_browser: Callable[[], BrowserClient]
) -> None:
    assert "Change your e-mail address" not in admin.sees("/app/account")
    status, page = _rename(admin, f"other-{organization.email}")
    assert (status, "administers your organization" in page) == (409, True)
    assert new_browser().log_in(organization.email).status_code == 303


def test_an_address_is_unique_within_an_organization(
    organization: Organization, new_browser: Callable[[], BrowserClient]
) -> None:
    person = new_browser()
    person.joins(organization.invite(f"old-{organization.id[-12:]}@example.com", "Viewer")["link"], PASSWORD)
    assert _rename(person, organization.email.upper())[0] == 409


def test_logging_out_elsewhere_keeps_the_password(
    new_organization: Callable[..., Organization], new_browser: Callable[[], BrowserClient]
) -> None:
    first, second = new_organization(), new_organization()
    email = f"both-{first.id[-12:]}@example.com"
    person, elsewhere = new_browser(), new_browser()
    person.joins(first.invite(email, "Viewer")["link"], PASSWORD)
    person.joins(second.invite(email, "Viewer")["link"])
    elsewhere.log_in(email, organization=first.id)
    elsewhere.sees("/app")
    colleague = new_browser()
    colleague.log_in(second.email)
    tokens = first.log_in(email, organizationId=first.id)
    assert "In this browser and in 1 other." in person.sees("/app/account")
    answer = person.post("/app/account/log-out-elsewhere")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app/account?changed=sessions")
    page = person.sees("/app/account?changed=sessions")
    assert "You are logged out everywhere else." in page
    assert "In this browser only." in page
    assert elsewhere.get("/app").status_code == 303
    assert first.client(bearer=tokens["token"]).get(f"{first.path}/work-orders").status_code == 401
    refresh = {"refreshToken": tokens["refreshToken"]}
    assert first.client().post("/authentications/tokens/refresh", json=refresh).status_code == 401
    colleague.sees("/app")
    assert new_browser().log_in(email).status_code == 303


def test_another_site_cannot_log_a_user_out(organization: Organization, admin: BrowserClient) -> None:
    answer = admin.post("/app/account/log-out-elsewhere", headers={"Origin": "https://example.com"})
    assert answer.status_code == 403
