import html
import re
from collections.abc import Callable

import pytest
from tests.support.browser import BrowserClient
from tests.support.organizations import PASSWORD, Organization
from tests.support.service import Service

NewBrowser = Callable[[], BrowserClient]


def test_the_right_password_opens_the_app(organization: Organization, new_browser: NewBrowser) -> None:
    person = new_browser()
    answer = person.log_in(organization.email.upper())
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    page = person.sees("/app")
    assert "Test house" in page
    assert organization.email in page


def test_the_cookie_is_hidden_from_scripts_and_other_sites(
    organization: Organization, new_browser: NewBrowser
) -> None:
    flags = new_browser().log_in(organization.email).headers["set-cookie"].split("; ")
    assert flags[0].startswith("steward_session=")
    assert flags[1:] == ["Path=/", "Max-Age=43200", "HttpOnly", "SameSite=Lax"]


def test_the_cookie_stays_on_https_where_the_proxy_speaks_it(
    organization: Organization, new_browser: NewBrowser
) -> None:
    person = new_browser()
    person.headers["X-Forwarded-Proto"] = "https"
    assert person.log_in(organization.email).headers["set-cookie"].endswith("; Secure")


def test_a_wrong_password_is_refused_and_the_address_kept(
    organization: Organization, new_browser: NewBrowser
) -> None:
    person = new_browser()
    answer = person.log_in(organization.email, "wrong password")
    assert answer.status_code == 401
    assert "The account or the password is wrong." in answer.text
    assert f'value="{organization.email}"' in answer.text
    assert "wrong password" not in answer.text.replace("the password is wrong", "")
    assert "set-cookie" not in answer.headers


def test_an_unknown_account_is_refused_with_the_same_words(new_browser: NewBrowser) -> None:
    assert "The account or the password is wrong." in new_browser().log_in("nobody@example.com").text


def test_after_five_wrong_passwords_a_person_has_to_wait_at_this_address(
    organization: Organization, new_browser: NewBrowser
) -> None:
    person, colleague = new_browser(), organization.new_user("Viewer")
    statuses = [person.log_in(organization.email, "wrong").status_code for _ in range(6)]
    assert statuses == [401] * 5 + [429]
    right = person.log_in(organization.email)
    assert right.status_code == 429
    assert "Too many wrong passwords." in right.text
    assert int(right.headers["retry-after"]) > 0
    # One person's typos lock nobody else in the office out, and nobody elsewhere.
    assert person.log_in(colleague["email"]).status_code == 303
    assert new_browser().log_in(organization.email).status_code == 303


def test_empty_fields_are_named(new_browser: NewBrowser) -> None:
    answer = new_browser().post("/app/login", data={"email": "", "password": ""})
    assert answer.status_code == 422
    assert answer.text.count("Fill this in.") == 2


@pytest.mark.parametrize(
    ("asked", "led"),
    [
        ("/app/work-orders", "/app/work-orders"),
        ("/app/work-orders?status=Open&q=a%26b%20c", "/app/work-orders?status=Open&q=a%26b%20c"),
        ("/app?view=today", "/app?view=today"),
        ("/app/caf%C3%A9", "/app/caf%C3%A9"),
        ("https://example.com/app", "/app"),
        ("//example.com", "/app"),
        ("/app/\\example.com", "/app"),
        ("/\\example.com/app", "/app"),
        ("%2F%2Fexample.com/app", "/app"),
        ("/%2Fexample.com", "/app"),
        ("/app@example.com", "/app"),
        ("//example.com/app/", "/app"),
        ("/app/../docs", "/app"),
        ("/app/%2e%2e//example.com", "/app"),
        ("javascript:alert(1)//app", "/app"),
        ("/app/login?next=/app", "/app"),
        ("/app/" + "x" * 5000, "/app"),
        ("//[/app", "/app"),
        ("/application", "/app"),
        ("/app/x\r\nSet-Cookie: a=b", "/app"),
    ],
)
def test_after_the_login_people_are_led_to_pages_of_ours_only(
    organization: Organization, new_browser: NewBrowser, asked: str, led: str
) -> None:
    assert new_browser().log_in(organization.email, next=asked).headers["location"] == led


def test_the_login_returns_to_the_requested_page(organization: Organization, new_browser: NewBrowser) -> None:
    person = new_browser()
    answer = person.get("/app/work-orders")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app/login?next=/app/work-orders")
    assert 'name="next" value="/app/work-orders"' in person.sees(answer.headers["location"])


@pytest.mark.parametrize(
    "asked",
    [
        "/app/work-orders?status=Open&q=a%26b+c%3Dd",
        "/app?view=today",
        "/app/work-orders/caf%C3%A9?x=%E2%82%AC",
    ],
)
def test_a_deep_link_survives_the_login_with_its_query(
    organization: Organization, new_browser: NewBrowser, asked: str
) -> None:
    person = new_browser()
    login = person.get(asked).headers["location"]
    assert login.startswith("/app/login?next=")
    next_page = html.unescape(re.search(r'name="next" value="([^"]*)"', person.sees(login))[1])  # type: ignore[index]
    assert person.log_in(organization.email, next=next_page).headers["location"] == asked


def test_a_query_that_is_too_long_is_dropped_at_login(new_browser: NewBrowser) -> None:
    answer = new_browser().get(f"/app/work-orders?q={'x' * 3000}")
    assert answer.headers["location"] == "/app/login?next=/app/work-orders"


def test_a_deep_link_survives_the_choice_of_the_organization(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second = new_organization(), new_organization()
    email = f"both-{first.id}@example.com"
    joining = new_browser()
    joining.joins(first.invite(email, "Viewer")["link"], PASSWORD)
    joining.joins(second.invite(email, "Viewer")["link"])
    person, asked = new_browser(), "/app/work-orders?status=Open&q=a%26b"
    choice = person.log_in(email, next=asked).headers["location"]
    assert choice.startswith("/app/organizations?next=")
    assert f'name="next" value="{html.escape(asked)}"' in person.sees(choice)
    form = {"organizationId": second.id, "next": asked}
    assert person.post("/app/organizations", data=form).headers["location"] == asked
    form["next"] = "//example.com"
    assert person.post("/app/organizations", data=form).headers["location"] == "/app"


def test_a_deep_link_without_permission_is_refused_without_a_redirect_loop(
    organization: Organization, new_browser: NewBrowser
) -> None:
    person, asked = new_browser(), f"/app/users/{organization.user_id}/reset-link"
    assert person.get(asked).headers["location"] == f"/app/login?next={asked}"
    viewer = organization.new_user("Viewer")
    assert person.log_in(viewer["email"], next=asked).headers["location"] == asked
    answer = person.get(asked)
    assert answer.status_code == 403
    assert "users:write" in answer.text


def test_logging_out_ends_the_session_itself(admin: BrowserClient, new_browser: NewBrowser) -> None:
    cookie = admin.cookies["steward_session"]
    answer = admin.post("/app/logout")
    assert (answer.status_code, answer.headers["location"]) == (303, "/app/login")
    assert "Max-Age=0" in answer.headers["set-cookie"]
    thief = new_browser()
    thief.cookies.set("steward_session", cookie)
    assert thief.get("/app").status_code == 303


@pytest.mark.parametrize(
    "cookie", ["nonsense", "org_1.", ".", "org_\u00e9.x", "x" * 5000, "'; DROP TABLE users --"]
)
def test_a_made_up_cookie_is_refused(new_browser: NewBrowser, cookie: str) -> None:
    answer = new_browser().get("/app", headers={b"cookie": f"steward_session={cookie}".encode()})
    assert answer.status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://example.com"},
        {"Origin": "null"},
        {"Origin": ""},
    ],
)
def test_a_form_of_another_site_is_refused(
    organization: Organization, new_browser: NewBrowser, headers: dict[str, str]
) -> None:
    person = new_browser()
    answer = person.post(
        "/app/login", data={"email": organization.email, "password": organization.password}, headers=headers
    )
    assert answer.status_code == 403
    assert "was not sent from a page of Steward" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_form_without_any_origin_is_refused(admin: BrowserClient) -> None:
    del admin.headers["Origin"]
    assert admin.post("/app/logout").status_code == 403
    assert admin.post("/app/logout", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303


def test_a_suspended_person_is_refused_on_the_next_request(
    organization: Organization, new_browser: NewBrowser, logged_in: Callable[[str], BrowserClient]
) -> None:
    user = organization.new_user("Technician")
    person = logged_in(user["email"])
    person.sees("/app")
    organization.api.patch(
        f"{organization.path}/users/{user['id']}", json={"status": "Suspended"}
    ).raise_for_status()
    assert person.get("/app").headers["location"] == "/app/login"
    answer = new_browser().log_in(user["email"])
    assert answer.status_code == 401
    assert "This account is suspended." in answer.text


def test_people_in_several_organizations_choose_one(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second, foreign = new_organization(), new_organization("Starter"), new_organization()
    email = f"both-{first.id}@example.com"
    second.set_plan("Professional")
    joining = new_browser()
    joining.joins(first.invite(email, "Viewer")["link"], PASSWORD)
    joining.joins(second.invite(email, "Administrator")["link"])
    person = new_browser()
    assert person.log_in(email).headers["location"] == "/app/organizations"
    page = person.sees("/app/organizations")
    assert first.id in page
    assert second.id in page
    assert foreign.id not in page
    old = person.cookies["steward_session"]
    assert person.post("/app/organizations", data={"organizationId": foreign.id}).status_code == 403
    answer = person.post("/app/organizations", data={"organizationId": second.id})
    assert (answer.status_code, answer.headers["location"]) == (303, "/app")
    assert second.id in person.sees("/app/settings")
    person.cookies.clear()
    person.cookies.set("steward_session", old)
    assert person.get("/app").status_code == 303


def test_accounts_with_one_address_and_password_differ_by_organization(
    new_organization: Callable[..., Organization], new_browser: NewBrowser
) -> None:
    first, second, other = new_organization(), new_organization(), new_organization()
    email = first.new_user("Viewer")["email"]
    second.new_user("Viewer", email=email)
    other.new_user("Viewer", email=email, password="another long password")
    person = new_browser()
    asked = person.log_in(email)
    assert asked.status_code == 422
    assert "several accounts" in asked.text
    assert (first.id in asked.text, second.id in asked.text, other.id in asked.text) == (True, True, False)
    for organization in (first, second):
        assert person.log_in(email, organization=organization.id).headers["location"] == "/app"
        assert organization.id in person.sees("/app/settings")
    assert person.log_in(email, "another long password").headers["location"] == "/app"
    assert other.id in person.sees("/app/settings")


def test_the_login_does_not_depend_on_password_tokens_or_the_plan(
    service: Service, new_organization: Callable[..., Organization]
) -> None:
    organization = new_organization("Starter")
    process = service.another_api(STEWARD_LEGACY_JWT="off")
    person = BrowserClient(process.base_url)
    assert person.log_in(organization.email).status_code == 303
    assert "Hello" in person.sees("/app")
    integrations = person.get("/app/integrations")
    if integrations.status_code != 404:
        assert "API access requires Professional or Enterprise plan" in integrations.text


def test_a_form_that_is_too_large_or_no_form_is_refused(new_browser: NewBrowser) -> None:
    person = new_browser()
    assert person.log_in("a" * 70_000).status_code == 413
    assert person.post("/app/login", json={"email": "a"}).status_code == 415
    many = "&".join(f"f{i}=1" for i in range(300))
    form = {"content-type": "application/x-www-form-urlencoded"}
    for content in (many, "email=%00&password=x", "email=%ff&password=x"):
        assert person.post("/app/login", content=content, headers=form).status_code == 400
